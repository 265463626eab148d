"""Facts about orders, as rules and views read them. `ORDER_FACTS` are all of them, in the order of an order's life."""

from typing import Final, NamedTuple

from andon.events.domain_event import DomainEvent, Entity
from andon.events.topic import Topic
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.views.keep import read_as
from contract.entities.planning import OpenOrder

SOURCE: Final = "maintenance"

PLANNED: Final = "maintenance-planned"
MOVED: Final = "maintenance-moved"
STARTED: Final = "maintenance-started"
FINISHED: Final = "maintenance-finished"
ATTACHED: Final = "attachment-added"
ORDER_FACTS: Final = (PLANNED, MOVED, STARTED, FINISHED)
TOPICS: Final[tuple[Topic, ...]] = tuple((SOURCE, event_type) for event_type in ORDER_FACTS)

FURTHEST_DAYS: Final = 366
"""An order is planned at most so many days ahead."""

KEPT_DAYS: Final = 90
"""An order lives for so many days after the day that it is planned for."""


class OrderKey(NamedTuple):
    """Identity of an order among those of its machine; `date` is the day that it was first planned for."""

    date: str
    kind: str


open_order: Final = read_as(OpenOrder)
"""Return an order that is not finished, as rules and views say it."""


def order_in(event: DomainEvent) -> Entity:
    """Return the order of a fact.

    Raises:
        Poison: there is none.

    """
    return event.entity("order")


def key_in(order: Entity) -> OrderKey:
    """Return the key of an order."""
    return OrderKey(order.text("date"), order.text("kind"))


def day_ms(day: str) -> int:
    """Return the beginning of a day (UTC), in epoch milliseconds.

    Raises:
        ValueError: it is no date, or does not exist.

    """
    return times.to_ms(times.first_of(times.date(day)))


def end_of_day_ms(day: str) -> int:
    """Return the end of a day (UTC), in epoch milliseconds."""
    return day_ms(day) + DAY_MS


def expires_at(planned_for: str) -> int:
    """Return when an order expires that is planned for a day, in epoch seconds."""
    return (day_ms(planned_for) + KEPT_DAYS * DAY_MS) // 1000
