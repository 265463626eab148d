"""The rule that an order is overdue: the day that it was planned for is over, and it is not finished."""

from collections.abc import Iterable
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import DueAt
from andon.runtime.clock import DAY_MS
from contract.orders import MOVED, PLANNED, SOURCE, end_of_day_ms, key_in, open_order, order_in
from services.planning.decided import MAINTENANCE_OVERDUE, decide
from services.planning.orders import is_open, newest, order_partition_in
from services.planning.tables import WITHIN_DAYS


def overdue(history: History) -> Iterable[Decision]:
    """Decide about the order of a plan, unless it is finished by then, or planned anew."""
    planned = order_in(history.anchor)
    by_now = newest(history.events)[key_in(planned)]
    plans = newest(event for event in history.events if event.type in {PLANNED, MOVED})
    if is_open(by_now) and plans[key_in(planned)] == planned:
        day, key = planned.text("plannedFor"), key_in(planned)
        yield decide(
            MAINTENANCE_OVERDUE,
            {**open_order(by_now)},
            (history.anchor,),
            rule=RULE.id,
            subject=f"{key.date} {key.kind} {day}",
            at_ms=end_of_day_ms(day),
        )


def date_of(event: DomainEvent) -> int:
    """Return the end of the day that an order is planned for."""
    return end_of_day_ms(order_in(event).text("plannedFor"))


RULE: Final = Rule(
    id="overdue",
    on=frozenset({(SOURCE, PLANNED), (SOURCE, MOVED)}),
    key=order_partition_in,
    window_ms=DAY_MS,
    timing=DueAt(date_of, within_days=WITHIN_DAYS),
    expression=overdue,
    emits=frozenset({MAINTENANCE_OVERDUE}),
)
