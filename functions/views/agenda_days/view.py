"""Updates of agenda_days by event: one object for each day of a factory, with its orders. Pure."""

from andon.dynamodb.attribute_values import Attributes
from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.views.object_table import ObjectKeys, ObjectTable
from andon.views.view_update import ViewUpdate
from andon.views.view_updates import OnObjects, ViewUpdates, entered
from contract.agenda import OPLOCK, AgendaKey, Entry, entry_in
from contract.orders import FURTHEST_DAYS, KEPT_DAYS, TOPICS

KEYS = ObjectKeys("FactoryID", "PlannedFor", about="EquipmentID", sort="OrderID")
OBJECTS = ObjectTable("AGENDA_DAYS_BUCKET", KEYS)

TTL_DAYS = KEPT_DAYS
EXPIRES_WITHIN_DAYS = FURTHEST_DAYS + KEPT_DAYS


def on_order(event: DomainEvent) -> ViewUpdates:
    """Keep the order on the day that its newest version says, and on no other; it may come from another factory."""
    entry = entry_in(event)
    update = ViewUpdate(
        key=_key_of(entry, entry.place), fields=entry.fields, oplock=OPLOCK, expires_at=entry.expires_at
    )
    return entered(update, *([_key_of(entry, entry.before)] if entry.before else []))


def _key_of(entry: Entry, place: AgendaKey) -> Attributes:
    return KEYS.of(*place, entry.equipment_id, entry.order_id)


ON: OnObjects = dict.fromkeys(TOPICS, on_order)  # (source, type) -> what the view keeps of it

UPCASTERS: Upcasters = {}  # (source, type) -> the steps from its oldest shape to today's
