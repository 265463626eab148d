"""Updates of agenda by event: the orders of factories, by the days that they are planned for by now. Pure."""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.keys import SEPARATOR
from andon.dynamodb.schema import Index, Keys
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.runtime.clock import DAY_MS
from andon.views.view_update import On, ViewUpdate
from contract.orders import FURTHEST_DAYS, KEPT_DAYS, TOPICS, OrderKey, day_ms, key_in, order_in

KEYS = Keys("EquipmentID", "OrderID", one_partition_per="entity")
BY_DAY = Keys("FactoryID", "Day", one_partition_per="tenant")

TABLE = Table("AGENDA_TABLE", KEYS)
INDEXES = {"ByDay": Index(BY_DAY)}

TTL_DAYS = KEPT_DAYS
EXPIRES_WITHIN_DAYS = FURTHEST_DAYS + KEPT_DAYS

# What each role calls, where that is less than a view may.
GRANTS = {"query": {"AGENDA_TABLE/ByDay": ("Query",)}}

OPLOCK: Final = "order"


def on_order(event: DomainEvent) -> ViewUpdate:
    """Keep the order as its newest version says it; one that was moved is under another day from then on."""
    order = order_in(event)
    equipment_id, key, day = order.text("equipmentId"), key_in(order), order.text("plannedFor")
    return ViewUpdate(
        key=KEYS.of(equipment_id, SEPARATOR.join(key)),
        fields={
            "FactoryID": order.text("factoryId"),
            "Day": sort_key_of(day, key, equipment_id),
            "PlannedFor": day,
            "Minutes": order.get("minutes"),
            "Status": order.text("status"),
            "StartedAt": order.optional_text("startedAt"),
            "FinishedAt": order.optional_text("finishedAt"),
            "Result": order.optional_text("result"),
        },
        oplock=OPLOCK,
        expires_at=(day_ms(day) + KEPT_DAYS * DAY_MS) // 1000,
    )


def sort_key_of(day: str, key: OrderKey, equipment_id: str) -> str:
    """Return the place of an order among those of its factory; the id of a machine may have a `#`, and stands last."""
    return SEPARATOR.join((day, *key, equipment_id))


ON: On = dict.fromkeys(TOPICS, on_order)  # (source, type) -> what the view keeps of it

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's
