"""Plans: the work that an event which arrived asks for, and that of a due row. Nothing is written here."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import Keys
from andon.dynamodb.ttl import ttl_at
from andon.rules.rule import Rule, Rules
from andon.rules.stored_event import CorrelationKey, StoredEvent, is_event_sort
from andon.rules.timing import KEPT_DAYS, PASSED_OVER, Due, EvaluateAt, EventsBehind, Renewal, Start, SweepTime, Timer
from andon.runtime.tried import Failed, tried

# When a rule that nobody knows is asked for again: it comes back with the next deployment, or with a roll-back.
_UNKNOWN_AGAIN_MS: Final = 5 * 60_000

_WAITS: Final = (Start.DUE, Start.LOOK)


class ArrivalPlan(NamedTuple):
    """The work for an event: copies under other keys, due rows, and rules to evaluate at once.

    late: the rules that it came too late for. forgotten: those that will be due when the store has forgotten
    it, each with the reason.
    """

    anchor: StoredEvent
    late: Sequence[Rule]
    copies: list[StoredEvent]
    due_rows: list[Item]
    at_once: list[Rule]
    forgotten: Sequence[tuple[Rule, Exception]] = ()


class ConcernedRules(NamedTuple):
    """The rules that an event anchors, under its key, each with the start that its arrival causes.

    copies, forgotten: see `ArrivalPlan`.
    """

    here: list[tuple[Rule, Start]]
    copies: list[StoredEvent]
    forgotten: Sequence[tuple[Rule, Exception]]

    def late_at(self, stored: StoredEvent) -> list[Rule]:
        """Return those that decide nothing at the event, for it came too late."""
        return [rule for rule, _ in self.here if rule.is_late(stored)]

    @property
    def at_once(self) -> list[Rule]:
        """Those that are evaluated now."""
        return [rule for rule, start in self.here if start is Start.EVALUATION]


class DuePlan(NamedTuple):
    """The work for a due row: rules to evaluate, each at the event of a sort key, and due rows that replace it.

    kept: events that are stored for longer, each with its ttl from now on. gone: the number of rules without an event
    to evaluate them at. moved: the number of rules that wait on, or whose timer ended. unknown: the rules that this
    version of the service does not have, as a row for later; None: it has all.
    """

    evaluations: list[tuple[str, Rule]]
    timers: list[Due]
    kept: Sequence[StoredEvent] = ()
    gone: int = 0
    moved: int = 0
    unknown: Due | None = None


def plan_arrival(stored: StoredEvent, rules: Rules, keys: Keys, *, hold_back_ms: int) -> ArrivalPlan:
    """Return the work for an event that arrived; due rows that wait for a look are left to the screen."""
    found = concerned(stored, rules.at(stored.source, stored.event), hold_back_ms=hold_back_ms)
    rows = {due: due.row(keys) for due in dues_at_start(stored, found.here, hold_back_ms=hold_back_ms)}
    return ArrivalPlan(
        anchor=stored,
        late=found.late_at(stored),
        copies=found.copies,
        due_rows=[row for due, row in rows.items() if not is_screened(due, rules)],
        at_once=found.at_once,
        forgotten=found.forgotten,
    )


def concerned(stored: StoredEvent, rules: Iterable[Rule], *, hold_back_ms: int) -> ConcernedRules:
    """Return which of the rules that an event is an anchor of are evaluated at it here, and where the others are."""
    here, elsewhere = list[Rule](), set[CorrelationKey]()
    for rule in rules:
        key = rule.correlation_key_of(stored.event)
        if key == stored.key:
            here.append(rule)
        elif not stored.correlated:  # a copy is not copied again: the event itself is copied to all keys
            elsewhere.add(key)
    forgotten = [*_forgotten(stored, here, hold_back_ms)]
    if forgotten:
        here = [rule for rule in here if rule not in {one for one, _ in forgotten}]
    starts = [(rule, rule.timing.at_arrival(stored)) for rule in here]
    return ConcernedRules(starts, [stored.copy_under(key) for key in sorted(elsewhere)], forgotten)


def _forgotten(stored: StoredEvent, rules: Iterable[Rule], hold_back_ms: int) -> Iterator[tuple[Rule, Exception]]:
    """Yield each rule that will be due when the anchor is forgotten, or that fails to say when."""
    for rule in rules:
        if rule.timing.after_ms and not rule.is_late(stored):
            checked = tried(rule.require_remembered, stored, hold_back_ms)
            if isinstance(checked, Failed):
                yield rule, checked.error


def dues_at_arrival(stored: StoredEvent, here: Iterable[Rule], *, hold_back_ms: int) -> Iterator[Due]:
    """Return the due rows of the rules that an event is an anchor of: they follow from the event alone."""
    starts = ((rule, rule.timing.at_arrival(stored)) for rule in here)
    return dues_at_start(stored, starts, hold_back_ms=hold_back_ms)


def dues_at_start(stored: StoredEvent, here: Iterable[tuple[Rule, Start]], *, hold_back_ms: int) -> Iterator[Due]:
    """Return the due rows of rules that the arrival of the event starts."""
    starting = [rule for rule, start in here if start in _WAITS and not rule.is_late(stored)]
    return dues_of(stored, starting, hold_back_ms=hold_back_ms)


def dues_of(anchor: StoredEvent, rules: Iterable[Rule], *, hold_back_ms: int) -> Iterator[Due]:
    """Return the due rows of `rules` at an anchor, one for each time."""
    by_time: dict[int, list[str]] = defaultdict(list)
    for rule in rules:
        by_time[rule.first_due_ms(anchor, hold_back_ms)].append(rule.id)
    for at_ms, ids in by_time.items():
        ttl = ttl_at(at_ms, KEPT_DAYS)
        yield Due(at_ms=at_ms, key=anchor.key, anchor=anchor.sort, rules=tuple(ids), ttl=ttl)


def deferred(anchor: StoredEvent, rules: Iterable[Rule]) -> Due:
    """Return the due row of rules that are due by now, for which there is no time."""
    ids = tuple(rule.id for rule in rules)
    return Due(anchor.arrived_ms, anchor.key, anchor.sort, ids, ttl_at(anchor.arrived_ms, KEPT_DAYS))


def is_screened(due: Due, rules: Rules) -> bool:
    """Return True if a look tells that a due row is needed: no other rule is due at the same time."""
    return {rule.id for rule in rules.screened}.issuperset(due.rules)


def plan_due(due: Due, rules: Rules, events: EventsBehind, *, time: SweepTime, now_ms: int) -> DuePlan:
    """Return the work for a due row; where timers move to is read from `events`, those of its correlation key."""
    known = [rule for rule in rules.all if rule.id in due.rules]
    unknown = _unknown(due, known, now_ms)
    if not is_event_sort(due.anchor):
        return DuePlan([], [], gone=len(known), unknown=unknown)
    aims = [(rule, rule.timing.when_due(due, on=rule.on, events=events, time=time)) for rule in known]
    evaluations = [(aim.anchor, rule) for rule, aim in aims if isinstance(aim, EvaluateAt)]
    renewals = [(rule, aim) for rule, aim in aims if isinstance(aim, Renewal)]
    timers = [_moved(due, rule, aim) for rule, aim in aims if isinstance(aim, Timer)]
    again = _one_for_each_time([*timers, *(_renewed(due, rule, aim) for rule, aim in renewals)])
    kept = [one for rule, aim in renewals for one in _kept(rule, aim, events)]
    return DuePlan(evaluations, again, kept, moved=len(aims) - len(evaluations), unknown=unknown)


def _unknown(due: Due, known: Sequence[Rule], now_ms: int) -> Due | None:
    """Return the row that asks for rules again which nobody knows now, where it is not read each minute."""
    unknown = tuple(rule_id for rule_id in due.rules if rule_id not in {rule.id for rule in known})
    return due._replace(at_ms=now_ms + _UNKNOWN_AGAIN_MS, rules=unknown, shard=None) if unknown else None


def _moved(due: Due, rule: Rule, timer: Timer) -> Due:
    ttl = due.ttl if timer.anchor == due.anchor else ttl_at(timer.at_ms, KEPT_DAYS)
    return Due(at_ms=timer.at_ms, key=due.key, anchor=timer.anchor, rules=(rule.id,), ttl=ttl)


def _renewed(due: Due, rule: Rule, renewal: Renewal) -> Due:
    return due._replace(at_ms=renewal.at_ms, rules=(rule.id,), ttl=ttl_at(renewal.at_ms, KEPT_DAYS), shard=None)


def _kept(rule: Rule, renewal: Renewal, events: EventsBehind) -> Iterator[StoredEvent]:
    """Yield the stored events that a rule sees at an anchor, with a ttl as long as that of its due row."""
    behind = events.behind(renewal.anchor.sort, until_ms=rule.due_at(renewal.anchor.event))
    ttl = ttl_at(renewal.at_ms, KEPT_DAYS)
    for stored in (renewal.anchor, *islice(behind, rule.most + PASSED_OVER)):
        if stored.ttl < ttl and stored.expire is None:  # the end of one that expires is an event, which has its time
            yield stored._replace(ttl=ttl)


def _one_for_each_time(dues: Iterable[Due]) -> list[Due]:
    """Return due rows of which those of one anchor and time are one: they have one key."""
    found: dict[tuple[str, int], Due] = {}
    for due in dues:
        there = found.setdefault((due.anchor, due.at_ms), due)
        if there is not due:
            rules, ttl = (*there.rules, *due.rules), max(there.ttl, due.ttl)
            found[due.anchor, due.at_ms] = there._replace(rules=rules, ttl=ttl)
    return [*found.values()]
