"""Evaluations and plans -> rows. Each row is put under a key that is the same each time, however often that happens."""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.errors import ConditionFailed, ItemRefused
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.ttl import ATTRIBUTE, EXPIRE, ttl_at
from andon.events.fault import fault_of
from andon.events.publish import publish
from andon.rules.control_service import Control, Counts, Verdict
from andon.rules.due import Due
from andon.rules.evaluate import Evaluation
from andon.rules.past import UnreadableRow
from andon.rules.plan import DuePlan
from andon.rules.stored_event import UNREADABLE, StoredEvent
from andon.runtime import clock, strict_json
from andon.runtime.errors import Poison
from andon.runtime.strict_json import is_whole
from andon.wire.in_parallel import in_parallel

RowKey = tuple[str | int, ...]
"""A primary key."""

EXPIRES_BEFORE: Final = Condition("#ttl < :ttl", {"ttl": ATTRIBUTE})
"""Of a row that is still there; `:ttl` is the one that it is to have."""


def write_decisions(evaluations: Iterable[Evaluation], control: Control, standing: set[RowKey]) -> Counts:
    """Put the rows that rules decided, each unless it is there; publish the fault of a rule that fails.

    standing: the keys of decisions that are there, which are not put again; it is added to.
    """
    counts = Counts()
    for evaluation in evaluations:
        counts.update(_written(evaluation, control, standing))
    return counts


def _written(evaluation: Evaluation, control: Control, standing: set[RowKey]) -> list[Verdict]:
    error = evaluation.error
    if error is None:
        try:
            return [_put(row, control, standing) for row in evaluation.rows] or [evaluation.verdict]
        except Poison as poison:
            error = poison
    if evaluation.anchor is not None:
        publish_event_fault(error, control, evaluation.anchor, by=f"rule-{evaluation.rule.id}")
    return [Verdict.FAULT]


def _put(row: Item, control: Control, standing: set[RowKey]) -> Verdict:
    key = tuple(row[name] for name in control.table.keys.names)
    if key in standing:
        return Verdict.STANDS
    try:
        control.table.put(row, condition=control.table.absent)
    except ConditionFailed:
        verdict = Verdict.STANDS
    except ItemRefused as error:
        raise Poison("DynamoDB refuses the decision as invalid") from error
    else:
        verdict = Verdict.DECIDED
    standing.add(key)
    return verdict


def write_due_rows(rows: Iterable[Item], control: Control) -> Counts:
    """Put rows of the index."""
    counts = Counts()
    for row in rows:
        control.table.put(row, condition=UNCONDITIONAL)
        counts["scheduled"] += 1
    return counts


def settle_due(due: Due, plan: DuePlan, control: Control) -> Counts:
    """Keep events for longer, put the due rows that replace one that is done, then delete it."""
    table = control.table
    in_parallel([partial(_keep, stored, control) for stored in plan.kept])
    for again in (*plan.timers, *([plan.unknown] if plan.unknown else ())):
        put_beside(again, control)
    table.delete(due.row_key(table.keys))
    unknown = len(plan.unknown.rules) if plan.unknown else 0
    return Counts({"due": 1, "moved": plan.moved, "unknown": unknown, Verdict.GONE: plan.gone})


def _keep(stored: StoredEvent, control: Control) -> None:
    """Let an event that is still there expire later."""
    with suppress(ConditionFailed):
        control.table.put(stored.row(control.table.keys), condition=EXPIRES_BEFORE._replace(values={"ttl": stored.ttl}))


def put_beside(due: Due, control: Control) -> None:
    """Put a row of the index, a millisecond later if one of other rules at its anchor is there."""
    while True:
        row = due.row(control.table.keys)
        try:
            control.table.put(row, condition=control.table.absent)
        except ConditionFailed as failed:
            if failed.row != row:
                due = due._replace(at_ms=due.at_ms + 1)
                continue
        return


def set_aside(rows: Iterable[UnreadableRow], control: Control, *, now_ms: int) -> None:
    """Publish the faults of rows that nobody can read, and mark them, so that they are passed over from then on."""
    for row, error in rows:
        publish_unreadable(error, control, row)
        lasts = row.get(ATTRIBUTE)
        ttl = lasts if is_whole(lasts) else ttl_at(now_ms, control.ttl_days)
        kept = {name: value for name, value in row.items() if name != EXPIRE}
        control.table.put({**kept, "discriminator": UNREADABLE, ATTRIBUTE: ttl}, condition=UNCONDITIONAL)


def publish_unreadable(error: Exception, control: Control, row: Item) -> None:
    """Publish the fault of an unreadable row in the store; its id is the same in each process."""
    publish_fault(error, control, strict_json.dumps(row), by="store")


def publish_event_fault(error: Exception, control: Control, stored: StoredEvent, *, by: str) -> None:
    """Publish the fault of a stored event that a rule or the trigger can never process."""
    publish_fault(error, control, strict_json.dumps(stored.row(control.table.keys)), by=by)


def publish_fault(error: Exception, control: Control, message: str, *, by: str) -> None:
    """Publish the fault of a message that a rule, the trigger or the sweep can never process."""
    source = control.rules.source
    publish([fault_of(error, message, consumer=f"{source}.{by}", now_ms=clock.now_ms())], source=source)
