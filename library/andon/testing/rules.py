"""Do the rules of a service decide the same, once and upon all? Tried on what its samples and stories bring them.

`require_ruled(service)` lets each story happen again in memory, through the real listener, trigger and sweep: as it
was, and with more of the same behind it, soon, much later, and about another subject. `Misruled` names the shortest
sequence of events by which a rule breaks what rules promise:

- whatever the order within the hold-back, with duplicates, batches and crashes, the same rows stand;
- what was decided at an event is decided there again, whatever came in between: nothing is taken back;
- a key is of one correlation key and names all that is said under it: else a decision is lost behind another one;
- what was decided upon is not decided upon again under another key;
- a rule for which the nearest events suffice decides the same upon all of them.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import combinations
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events import fault
from andon.events.actor import actor_of
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact
from andon.packages.package import Package
from andon.project import project
from andon.rules import control as on_arrival
from andon.rules import sweep as on_due
from andon.rules.evaluate import Evaluation, Evaluator, RowKey, write_decisions
from andon.rules.micro_event_store import STORED_WITHIN_MS, hold_back_ms, store
from andon.rules.rule import BY, RULE, TRIGGERS, Control, Counts
from andon.rules.stored_event import CORRELATED, EVENT, StoredEvent
from andon.rules.sweep import ALL_SHARDS, SHARDS
from andon.rules.timing import DUE, partition_of
from andon.runtime import clock, times
from andon.runtime.clock import HOUR_MS
from andon.testing.environment import frozen_clock, is_quick
from andon.testing.recorder import SAMPLES, Recorder
from andon.testing.samples import body_of

_FILES: Final = (SAMPLES, "stories")
_MOST: Final = 6
"""The events of a story that happen again are its last ones."""
_ORDERS: Final = 2
_ORDERS_OF_FEWER: Final = 12
"""Orders in which fewer events are tried: each that is missed would leave a sequence longer than it must be."""
_LATE: Final = 4
"""So many times the hold-back late comes what is late: what is decided then may be another thing, but stays so."""
_BATCH: Final = 3
_OFTEN: Final = 0.3
_ALL: Final = 1_000
"""The events of a window that has no bound: those of a story are far fewer."""

_SOON_MS: Final = 1_000


class _Heard(NamedTuple):
    """An event, and who published it."""

    source: str
    event: DomainEvent

    def __str__(self) -> str:
        event = self.event
        return f"{event.type} of {event.partition_key} at {times.to_utc(event.timestamp_ms)}"


_Events = Sequence[_Heard]


class Misruled(AssertionError):
    """A rule breaks what rules promise; events: the shortest sequence by which it does."""

    def __init__(self, why: str, events: _Events) -> None:
        self.why, self.events = why, events
        super().__init__(" ".join([f"{why}. By:", *(f"{number}. {one}" for number, one in enumerate(events, start=1))]))


class _Delivery(NamedTuple):
    """Events that arrive at a time; twice: the function stops before it acknowledges them, and they come again."""

    at_ms: int
    events: _Events
    twice: bool = False

    def __str__(self) -> str:
        said = "+".join(str(one.event.timestamp_ms % HOUR_MS / 1000) for one in self.events)
        return f"{said} twice" if self.twice else said


class _Decided(NamedTuple):
    """The rows that rules decided, by their keys, each evaluation on the way, and what went wrong with one of them."""

    rows: Mapping[RowKey, Item]
    evaluations: Sequence[Evaluation]
    wrong: Sequence[str]


def require_ruled(service: Package) -> None:
    """Try the rules of a service upon each of its stories.

    Raises:
        Misruled: a rule breaks what rules promise.

    """
    for file in _FILES:
        if (project().root / "tests" / service.folder / f"{file}.py").is_file():
            with _Player(service) as player:
                player.record(file)
                player.require_ruled()


class _Player(Recorder):
    """A world in which a story of a service happens, and then its events anew, upon all other rows that it left."""

    def __init__(self, service: Package) -> None:
        super().__init__(service)
        self._control: Control = service.load("control").CONTROL
        self._keys = self._control.table.keys
        self._rows_of_rules = self.tables[self._control.table.variable]

    def require_ruled(self) -> None:
        """Try the rules upon the story that happened."""
        story = self._forget()
        more = [*story, *_more_of(story, self._control)]
        if why := self._mistake_in(more, 1 if is_quick() else _ORDERS):
            raise self._shortest(why, more)

    def _forget(self) -> _Events:
        """Remove what rules see and decide, and keep the rest as it is; return the events that others make."""
        found = list[_Heard]()
        for row in self.rows(self._control.table.variable):
            if row.get("discriminator") == EVENT:
                stored = StoredEvent.of(row, self._keys)
                if not actor_of(stored.event).startswith("rule:"):
                    found.append(_Heard(stored.source, stored.event))
            if row.get("discriminator") in {EVENT, CORRELATED, DUE} or row.get(BY) == RULE:
                self._control.table.delete({name: row[name] for name in self._keys.names})
        self._left = self._rows_of_rules.partitions
        return sorted(found, key=lambda one: (one.event.timestamp_ms, one.event.id))[-_MOST:]

    def _shortest(self, why: str, events: _Events) -> Misruled:
        """Leave out events, many at once and then few, as long as a rule still breaks something."""
        size = len(events)
        while size := size // 2:
            for start in range(0, len(events), size):
                fewer = [*events[:start], *events[start + size :]]
                if fewer and (shorter := self._mistake_in(fewer, _ORDERS_OF_FEWER)):
                    return self._shortest(shorter, fewer)
        return Misruled(why, events)

    def _mistake_in(self, events: _Events, orders: int) -> str | None:
        return next(self._mistakes_in(events, orders), None)

    def _mistakes_in(self, events: _Events, orders: int) -> Iterator[str]:
        in_order = self._play([_Delivery(one.event.timestamp_ms, (one,)) for one in events])
        yield from self._mistakes(in_order)
        yield from self._mistakes(self._play(_deliveries(events, _LATE, held_ms=_LATE * hold_back_ms())))
        for seed in range(orders):
            deliveries = [*_deliveries(events, seed, held_ms=hold_back_ms())]
            other = self._play(deliveries)
            order = f"where they arrive as {' > '.join(map(str, deliveries))} (seconds)"
            yield from self._mistakes(other)
            for key in sorted(in_order.rows.keys() | other.rows.keys(), key=str):
                one, another = in_order.rows.get(key), other.rows.get(key)
                if not self._is_same(one, another):
                    rule = (one or another or {})[RULE]
                    yield f"rule {rule} decides {self._said(one)} in their order, and {self._said(another)} {order}"

    def _play(self, deliveries: Iterable[_Delivery]) -> _Decided:
        """Let events arrive; sweep what is due meanwhile, and in the end all that is."""
        self._rows_of_rules.partitions = self._left
        self._evaluations, self._wrong = list[Evaluation](), list[str]()
        with ExitStack() as stack:
            for module in (on_arrival, on_due):
                stack.enter_context(patch.object(module, "write_decisions", self._put))
            for delivery in deliveries:
                self._sweep_until(delivery.at_ms)
                self._deliver(delivery)
            self._sweep_until(None)
        rows = filter(lambda row: row.get(BY) == RULE, self.rows(self._control.table.variable))
        published = [json.loads(body)["detail"] for body in self.new_messages()]
        faults = [one["fault"] for one in published if one["type"] == fault.TYPE]
        self._wrong += [f"{one['consumer']} gives up: {one['error']['message']}" for one in faults]
        return _Decided({self._key(row): row for row in rows}, self._evaluations, self._wrong)

    def _put(self, found: Iterable[Evaluation], control: Control, standing: set[RowKey]) -> Counts:
        """See `write_decisions`; keep what is written, and ask a rule that looks at the nearest events for all."""
        made = [*found]
        for one in made:
            if one.anchor is not None:
                self._evaluations.append(one)
                if one.rule.nearest_suffice and one.rule.most < len([*self._rows_of_rules.rows(one.anchor.key)]):
                    self._wrong += self._cut(one, one.anchor)
        return write_decisions(made, control, standing)

    def _cut(self, near: Evaluation, anchor: StoredEvent) -> Iterator[str]:
        whole = near.rule._replace(most=max(_ALL, near.rule.most), nearest_suffice=False)
        evaluator = Evaluator(self._control, anchor.key, anchors=[anchor.sort], now_ms=clock.now_ms())
        rows = evaluator.evaluate(anchor, whole).rows
        if [self._key(row) for row in near.rows] != [self._key(row) for row in rows]:
            upon = [self._said(next(iter(some), None)) for some in (near.rows, rows)]
            yield (
                f"rule {near.rule.id} decides {upon[0]} upon the {near.rule.most} events that are the nearest, and "
                f"{upon[1]} upon all: these do not suffice"
            )

    def _deliver(self, delivery: _Delivery) -> None:
        own = [one for one in delivery.events if one.source == self._control.rules.source]
        with frozen_clock(delivery.at_ms):
            for _ in range(1 + delivery.twice):
                self.deliver_all(
                    self._package, [body_of(one.event, one.source) for one in delivery.events if one not in own]
                )
                for one in own:
                    self._remember(one.event, delivery.at_ms)
                self._react(1 + delivery.twice)

    def _remember(self, event: DomainEvent, now_ms: int) -> None:
        if kept := on_arrival.remembered(event, self._control):
            store(self._control.table, kept.stored(event, arrived_ms=now_ms), now_ms=now_ms, gap_ms=kept.gap_ms)

    def _react(self, times_: int = 1) -> None:
        while records := self.new_records(self._control.table.variable):
            for _ in range(times_):
                self.invoke(self._package, "trigger", {"Records": records})

    def _sweep_until(self, until_ms: int | None) -> None:
        """Sweep at each time at which something is due, the shards in which it is."""
        while dues := [*self._dues()]:
            due_ms = min(at_ms for at_ms, _ in dues)
            if until_ms is not None and due_ms >= until_ms:
                return
            with frozen_clock(due_ms):
                self.invoke(
                    self._package, "sweep", {SHARDS: sorted({shard for at_ms, shard in dues if at_ms == due_ms})}
                )
                self._react()

    def _dues(self) -> Iterator[tuple[int, int]]:
        """Yield when a sweep may do each due row, and its shard."""
        for shard in ALL_SHARDS:
            for row in map(to_plain, self._rows_of_rules.rows(partition_of(shard))):
                yield row["at"] + STORED_WITHIN_MS + 1, shard

    def _mistakes(self, decided: _Decided) -> Iterator[str]:
        """Yield what is wrong with decisions, whatever the order was."""
        yield from decided.wrong
        by_key, by_rule = defaultdict[RowKey, list[Evaluation]](list), defaultdict[str, list[Evaluation]](list)
        for one in decided.evaluations:
            by_rule[one.rule.id].append(one)
            for row in one.rows:
                by_key[self._key(row)].append(one)
        for key, evaluations in by_key.items():
            yield from self._lost(key, evaluations)
        for evaluations in by_rule.values():
            yield from self._twice(evaluations)

    def _lost(self, key: RowKey, evaluations: Sequence[Evaluation]) -> Iterator[str]:
        """Yield a decision that stands under the key of another one, and says something else."""
        for one, other in combinations(evaluations, 2):
            [first], [then] = (self._rows_under(key, found) for found in (one, other))
            if _upon(first).isdisjoint(_upon(then)) and not self._is_same(first, then):
                yield (
                    f"rule {one.rule.id} decides {self._said(first)} and {self._said(then)} under one key, {key}, so "
                    f"that the second is lost: let its key name its subject, and be of its own correlation key"
                )

    def _twice(self, evaluations: Sequence[Evaluation]) -> Iterator[str]:
        """Yield what is decided upon again under another key, or not again at the same event."""
        for one, other in combinations(evaluations, 2):
            keys = [{self._key(row) for row in found.rows} for found in (one, other)]
            if one.anchor == other.anchor:
                if not keys[0] <= keys[1]:
                    yield f"rule {one.rule.id} decides {keys[0]} at an event, and later there {keys[1]}"
                continue
            for first in one.rows:
                for then in other.rows:
                    upon = [_upon(row) for row in (first, then)]
                    again = len(min(upon, key=len)) > 1 and (upon[0] <= upon[1] or upon[1] <= upon[0])
                    if again and self._key(first) != self._key(then):
                        yield f"rule {one.rule.id} decides {self._said(first)}, and upon the same {self._said(then)}"

    def _rows_under(self, key: RowKey, found: Evaluation) -> list[Item]:
        return [row for row in found.rows if self._key(row) == key][:1]

    def _is_same(self, one: Item | None, other: Item | None) -> bool:
        """Return True if two decisions say the same, their own times aside: some decide upon an arrival."""
        said = [self._said(row) for row in (one, other)]
        return said[0] == said[1] or self._timeless(one) == self._timeless(other)

    def _said(self, row: Item | None) -> str:
        """Return what a decision says to others, its triggers aside."""
        fact = self._fact_of(row)
        if fact is None:
            return "nothing"
        said = {name: value for name, value in fact.entity.items() if name != TRIGGERS}
        return f"{fact.type} of {fact.partition_key} {json.dumps(said, default=str)}"

    def _timeless(self, row: Item | None) -> str:
        said, fact = self._said(row), self._fact_of(row)
        for time in () if fact is None else (times.to_utc(fact.timestamp_ms), str(fact.timestamp_ms)):
            said = said.replace(time, "its time")
        return said

    def _fact_of(self, row: Item | None) -> Fact | None:
        return None if row is None else self._package.facts.fact_of(Change("INSERT", None, row))

    def _key(self, row: Item) -> RowKey:
        return tuple(row[name] for name in self._keys.names)


def _more_of(story: _Events, control: Control) -> Iterator[_Heard]:
    """Yield the events of a story again: soon, about another subject, and later than any rule looks back."""
    if story:
        span_ms = story[-1].event.timestamp_ms - story[0].event.timestamp_ms
        window_ms = max(rule.window_ms for rule in control.rules.all)
        yield from (_again(one, "soon", span_ms + _SOON_MS) for one in story)
        yield from (_again(one, "other", span_ms + _SOON_MS, subject=f"{one.event.partition_key}0") for one in story)
        yield from (_again(one, "later", 2 * span_ms + window_ms + HOUR_MS) for one in story)


def _again(one: _Heard, name: str, by_ms: int, *, subject: str | None = None) -> _Heard:
    event = one.event
    entities = {entity: _moved(said, by_ms, event, subject) for entity, said in event.entities.items()}
    moved = event._replace(id=f"{event.id} {name}", timestamp_ms=event.timestamp_ms + by_ms, entities=entities)
    return one._replace(event=moved if subject is None else moved._replace(partition_key=subject))


def _moved(said: Any, by_ms: int, event: DomainEvent, subject: str | None) -> Any:  # noqa: ANN401  any JSON
    """Return what is said so much later, and of another subject."""
    if isinstance(said, Mapping):
        return {name: _moved(value, by_ms, event, subject) for name, value in said.items()}
    if isinstance(said, list):
        return [_moved(value, by_ms, event, subject) for value in said]
    if isinstance(said, str) and said == event.partition_key:
        return said if subject is None else subject
    if isinstance(said, str) and len(said) == len("2026-01-01T09:00:00.000Z") and said.endswith("Z"):
        return times.to_utc(times.to_ms(said) + by_ms)
    return said


def _deliveries(events: _Events, seed: int, *, held_ms: int) -> Iterator[_Delivery]:
    """Yield events as they may arrive so much later: in any order, in batches, some of them twice."""
    chance = random.Random(seed)  # noqa: S311  the same each time
    arrivals = [
        (one.event.timestamp_ms + chance.choice([0, held_ms, chance.randint(0, held_ms)]), one) for one in events
    ]
    arrivals += [(at_ms + chance.randint(0, 2 * held_ms), one) for at_ms, one in arrivals if chance.random() < _OFTEN]
    arrivals.sort(key=lambda arrival: arrival[0])
    batch = list[_Heard]()
    for number, (at_ms, one) in enumerate(arrivals):
        batch.append(one)
        next_ms = arrivals[number + 1][0] if number + 1 < len(arrivals) else None
        if next_ms is None or len(batch) == _BATCH or any(next_ms > it.event.timestamp_ms + held_ms for it in batch):
            yield _Delivery(at_ms, tuple(batch), twice=chance.random() < _OFTEN)
            batch.clear()


def _upon(row: Item) -> set[tuple[str, int]]:
    return {(one["id"], one["timestamp"]) for one in row[TRIGGERS]}
