"""The rules of the digest: a message at once, and one for the later rest; one of each for a slot.

They go by when requests arrived: one that was asked for long ago, or comes late, is told all the same. Who is woken
for nothing sends nothing.
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule, always
from andon.rules.timing import AfterArrival, AtOnce, Timing
from andon.runtime.clock import MINUTE_MS
from services.notify.fact_types import MESSAGE_DECIDED
from services.notify.message import LATER, NOW, SLOT_MS, decide, slot_of
from services.notify.tables import partition_of


def digest(kind: str, history: History) -> Iterable[Decision]:
    """Wake the sender for a person, once for all requests that arrive in a slot."""
    anchor = history.anchor
    person = anchor.entity("help").text("person")
    slot_ms = slot_of(person, history.arrived_ms[anchor.id])
    yield decide(person, slot_ms, kind, anchor, at_ms=slot_ms if kind == NOW else slot_ms + SLOT_MS)


def _partition_in(request: DomainEvent) -> str:
    return partition_of(request.entity("help").text("person"))


def _rule(kind: str, timing: Timing) -> Rule:
    return Rule(
        id=kind,
        on=frozenset({("dispatch", "help-requested")}),
        key=_partition_in,
        window_ms=MINUTE_MS,
        until=always,  # it looks at its anchor alone
        timing=timing,
        expression=partial(digest, kind),
        emits=frozenset({MESSAGE_DECIDED}),
    )


NOW_RULE: Final = _rule(NOW, AtOnce())
LATER_RULE: Final = _rule(LATER, AfterArrival(SLOT_MS))
"""Due when the slot of its anchor is over: whichever is due first, all of that slot have arrived."""
