"""An order as agendas keep and show it: the one source of a view with rows in a table, and of one in objects."""

from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.keys import SEPARATOR
from andon.events.domain_event import DomainEvent, Entity
from andon.runtime.json_types import JsonObject
from andon.views.keep import keep
from contract.entities.maintenance import OrderEntity
from contract.orders import expires_at, key_in, order_in

OPLOCK: Final = "order"

KEPT: Final = keep(
    OrderEntity,
    Minutes="minutes",
    Status="status",
    StartedAt="startedAt",
    FinishedAt="finishedAt",
    Result="result",
)


class AgendaKey(NamedTuple):
    """The agenda that an order stands in: a factory's, on a day (UTC)."""

    factory_id: str
    day: str


class Entry(NamedTuple):
    """An order in an agenda. before: where it stood as of the version before; expires_at: in epoch seconds."""

    equipment_id: str
    order_id: str
    place: AgendaKey
    before: AgendaKey | None
    fields: Attributes
    expires_at: int


def entry_in(event: DomainEvent) -> Entry:
    """Return the entry that a fact makes of an order.

    Raises:
        Poison: there is none.

    """
    order = order_in(event)
    place, before = _place_in(order), order.get("before")
    return Entry(
        equipment_id=order.text("equipmentId"),
        order_id=SEPARATOR.join(key_in(order)),
        place=place,
        before=_place_in(Entity("before", before)) if isinstance(before, dict) else None,
        fields=KEPT.of(order),
        expires_at=expires_at(place.day),
    )


def position(order_id: str, equipment_id: str) -> str:
    """Return the position of an order on its day; the id of a machine may have a `#`, and stands last."""
    return f"{order_id}{SEPARATOR}{equipment_id}"


def to_response(row: Item) -> JsonObject:
    """Return an entry for a response."""
    date, _, kind = row["OrderID"].partition(SEPARATOR)
    of_order = {"equipmentId": row["EquipmentID"], "date": date, "kind": kind}
    return {**of_order, "plannedFor": row["PlannedFor"], **KEPT.said_in(row)}


def _place_in(said: Entity) -> AgendaKey:
    return AgendaKey(said.text("factoryId"), said.text("plannedFor"))
