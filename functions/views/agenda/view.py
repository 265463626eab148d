"""Updates of agenda by event: the orders of factories, by the days that they are planned for by now. Pure."""

from andon.dynamodb.client import Table
from andon.dynamodb.keys import SEPARATOR
from andon.dynamodb.schema import Index, Keys
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.views.view_update import On, ViewUpdate
from contract.agenda import OPLOCK, entry_in, position
from contract.orders import FURTHEST_DAYS, KEPT_DAYS, TOPICS

KEYS = Keys("EquipmentID", "OrderID", one_partition_per="entity")
BY_DAY = Keys("FactoryID", "Day", one_partition_per="tenant")

TABLE = Table("AGENDA_TABLE", KEYS)
INDEXES = {"ByDay": Index(BY_DAY)}

TTL_DAYS = KEPT_DAYS
EXPIRES_WITHIN_DAYS = FURTHEST_DAYS + KEPT_DAYS

# What each role calls, where that is less than a view may.
GRANTS = {"query": {"AGENDA_TABLE/ByDay": ("Query",)}}


def on_order(event: DomainEvent) -> ViewUpdate:
    """Keep the order as its newest version says it; one that was moved is under another day from then on."""
    entry = entry_in(event)
    factory_id, day = entry.place
    in_day = position(entry.order_id, entry.equipment_id)
    return ViewUpdate(
        key=KEYS.of(entry.equipment_id, entry.order_id),
        fields={
            "FactoryID": factory_id,
            "Day": f"{day}{SEPARATOR}{in_day}",
            "PlannedFor": day,
            **entry.fields,
        },
        oplock=OPLOCK,
        expires_at=entry.expires_at,
    )


ON: On = dict.fromkeys(TOPICS, on_order)  # (source, type) -> what the view keeps of it

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's
