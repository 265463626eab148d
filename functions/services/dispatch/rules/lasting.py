"""The rules that trouble lasts: for each minute at which a chain may ask somebody, one that is due then."""

from collections.abc import Iterable
from functools import partial
from typing import Final

from andon.events.domain_event import DomainEvent
from andon.rules.rule import Decision, History, Rule
from andon.rules.timing import Later
from andon.runtime.clock import MINUTE_MS
from contract.chains import askings_of
from contract.entities.alerts import TICKS, TroubleRef
from services.dispatch.fact_types import HELP_REQUESTED, NOBODY_FOUND, TROUBLE_OPENED
from services.dispatch.handled import assigned_to, is_over, logs_of_episode
from services.dispatch.help import ask, begun_in, trouble_in
from services.dispatch.known import has_chains, known_in
from services.dispatch.reports import is_normal
from services.dispatch.tables import partition_about

WINDOW_MS: Final = 60 * MINUTE_MS
"""It has the report of each trouble: one that is silent began `SILENT_AFTER_MS` before."""


def lasting(minutes: int, history: History) -> Iterable[Decision]:
    """Ask whom the chains name that the trouble began, unless it is over, or somebody has seen it.

    Chains that another trouble of the episode had begun go on from there.
    """
    anchor, known = history.anchor, known_in(history)
    log = trouble_in(anchor)
    if is_over(history, log):
        return
    chains, at_ms = begun_in(anchor) - _begun_before(history, log), anchor.timestamp_ms + minutes * MINUTE_MS
    for asking in askings_of(known.chains, log["state"], known.place.line_id):
        if asking.minutes == minutes and asking.chain in chains:
            yield from ask(asking, log, known, assigned_to(history, log), anchor, at_ms=at_ms)


def _begun_before(history: History, log: TroubleRef) -> set[str]:
    earlier, logs = history.events[: history.events.index(history.anchor)], logs_of_episode(history, log)
    troubles = (event for event in earlier if event.type == TROUBLE_OPENED and trouble_in(event) in logs)
    return set[str]().union(*map(begun_in, troubles))


def _lasts(minutes: int, trouble: DomainEvent) -> bool:
    return minutes in trouble.entity("trouble").get("ticks")


def _partition_in(trouble: DomainEvent) -> str:
    return partition_about(trouble.entity("trouble").fields)


RULES: Final = tuple(
    Rule(
        id=f"lasting-{minutes}",
        on=frozenset({("dispatch", TROUBLE_OPENED)}),
        when=partial(_lasts, minutes),
        key=_partition_in,
        window_ms=WINDOW_MS,
        until=is_normal,  # of a silent machine or a call there is none between the trouble and what ended it
        most=5_000,
        nearest_suffice=True,  # who is asked twice in a flood is asked
        timing=Later(minutes * MINUTE_MS),
        needs_context=True,
        enough=has_chains,
        expression=partial(lasting, minutes),
        emits=frozenset({HELP_REQUESTED, NOBODY_FOUND}),
    )
    for minutes in TICKS
)
