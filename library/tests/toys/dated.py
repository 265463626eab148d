"""Things that are to be mended until a date which somebody says, and the rule that decides when it has come."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from andon.events.domain_event import DomainEvent
from andon.rules.collect import Collected
from andon.rules.control_service import Control
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import DueAt
from andon.runtime.clock import DAY_MS
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import sqs_event
from andon.views.materialize import Listener, materialize
from toys.clock import NOW
from toys.things import message
from toys.toy_control import (
    KNOCKED,
    MINUTE_MS,
    TABLE,
    Keeper,
    decide,
    key_of,
    knocked,
    rules_of,
)

WITHIN_DAYS: Final = 40
KEPT_DAYS: Final = WITHIN_DAYS + 1


def date_of(event: DomainEvent) -> int | None:
    date_ms = event.entity("thing").get("until")
    return date_ms if isinstance(date_ms, int) else None


def lapsed(history: History) -> Iterable[Decision]:
    """Decide at a date, unless another one was said since, or the thing was mended."""
    if not any(event.type == "thing-mended" or date_of(event) is not None for event in history.later):
        yield decide("broken", key_of(history.anchor), "lapsed", history.anchor)


LAPSED: Final = Rule(
    id="lapsed",
    on=frozenset({KNOCKED}),
    key=key_of,
    window_ms=MINUTE_MS,
    timing=DueAt(date_of, within_days=WITHIN_DAYS),
    expression=lapsed,
    emits=frozenset({"thing-broken"}),
)


def control_of(*rules: Rule, ttl_days: int = KEPT_DAYS) -> Control:
    return Control(table=TABLE, rules=rules_of(*rules), ttl_days=ttl_days)


LAPSING: Final = control_of(LAPSED)


def keeps(days: int) -> Listener:
    """Return the listener that stores what happened for so many days."""

    def on_happened(event: DomainEvent) -> Collected:
        return Collected.of(event, key=key_of(event), source="workshop", ttl_days=days)

    on = {KNOCKED: on_happened, ("workshop", "thing-mended"): on_happened}
    return Listener(name="keeper", table=TABLE, on=on, ttl_days=None)


def bring(keeper: Keeper, *events: DomainEvent, days: int = KEPT_DAYS, control: Control = LAPSING) -> list[Any]:
    materialize(sqs_event(map(message, events)), LocalContext("keeper-listener"), listener=keeps(days))
    return keeper.react(control)


def until(name: str, days: float, *, at: int = NOW) -> DomainEvent:
    """The event that says a date, so many days after `NOW`."""
    return knocked(name, at=at, until=NOW + int(days * DAY_MS))


def faults(published: Sequence[Any]) -> list[str]:
    return [event["fault"]["error"] for event in published if event["type"] == "fault"]
