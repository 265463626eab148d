"""The rules that trouble is over: a machine that somebody was asked about reports that it is back to normal.

It is decided at the report, and at the trouble, whichever is stored last; once for a report. A minute after the trouble
it is looked for once more: of two reports that are stored at once, the normal one may be taken for a repeat.
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.fact import fact_of_row
from andon.rules.rule import Decision, History, Rule, decision_key
from andon.rules.timing import AfterArrival, AtOnce, AtTurn, Timing
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.runtime.json_types import members_of
from contract import logs
from contract.entities.alerts import TroubleEndEntity
from contract.reports import REPORTED
from services.dispatch.fact_types import TROUBLE_ENDED, TROUBLE_OPENED
from services.dispatch.help import trouble_in
from services.dispatch.reports import is_normal, partition_in, time_in
from services.dispatch.rules.trouble import STALE_MS
from services.dispatch.tables import KEYS, partition_about

MOST: Final = 100
"""An episode of more events is over at its normal report, whether anybody was asked or not: not all of it is read."""


def ended(history: History) -> Iterator[Decision]:
    """Decide that trouble is over, at the first normal report behind each that is known."""
    before = () if history.before is None else (history.before,)
    normal = [event for event in (*before, *history.events) if is_normal(event)]
    began = [trouble_in(event)["timestamp"] for event in history.events if event.type == TROUBLE_OPENED]
    ends = [next((report for report in normal if time_in(report) > since), None) for since in began]
    if is_normal(history.anchor) and history.before is not None and not is_normal(history.before):
        ends.append(history.anchor)
    for report in {time_in(end): end for end in ends if end is not None}.values():
        yield _decide(report, at_ms=max(report.timestamp_ms, history.arrived_ms[report.id]))


def _decide(report: DomainEvent, *, at_ms: int) -> Decision:
    row = {
        "equipmentId": report.entity("state").text("equipmentId"),
        "timestamp": time_in(report),
        "discriminator": TROUBLE_ENDED,
        "at": at_ms,
        "ttl": ttl_at(at_ms, logs.TTL_DAYS),
    }
    return Decision(decision_key(KEYS, partition_in(report), TROUBLE_ENDED, time_in(report)), row, (report,))


def _entity_of(row: Item) -> TroubleEndEntity:
    return members_of(TroubleEndEntity, row)


fact_of: Final = fact_of_row(
    TROUBLE_ENDED, "end", partition="equipmentId", entity_of=_entity_of, time_of=itemgetter("at"), once=True
)


def _is_of_machine(trouble: DomainEvent) -> bool:
    return "callId" not in trouble.entity("trouble").fields


def _partition_of_trouble(trouble: DomainEvent) -> str:
    return partition_about(trouble.entity("trouble").fields)


def _at_trouble(id_: str, timing: Timing) -> Rule:
    on = frozenset({("dispatch", TROUBLE_OPENED)})
    return AT_REPORT._replace(id=id_, on=on, when=_is_of_machine, key=_partition_of_trouble, timing=timing)


AT_REPORT: Final = Rule(
    id="ended",
    on=frozenset({REPORTED}),
    when=is_normal,
    key=partition_in,
    window_ms=logs.TTL_DAYS * DAY_MS,
    until=is_normal,
    most=MOST,
    nearest_suffice=True,
    timing=AtTurn(after_ms=STALE_MS),  # a trouble has the time at which its report arrived
    is_replayable=False,  # which reports it looks at follows from how they were stored, which no lake says
    expression=ended,
    emits=frozenset({TROUBLE_ENDED}),
)

RULES: Final = (
    AT_REPORT,
    _at_trouble("ended-0", AtOnce(after_ms=DAY_MS)),
    _at_trouble("ended-1", AfterArrival(MINUTE_MS)),
)
