"""Does a view converge? In whatever order, batches and duplicates its events arrive, its rows must be the same.

`converges(view, story)` delivers events through the real `materialize` and raises `Diverged` with the shortest sequence
that breaks: fewest events, then fewest deliveries. `stories_of(name)` finds the stories for a view, by its name.

What a listener does depends on the rows and the clock alone. So it is enough to deliver every event, and every two in a
batch, wherever a series of deliveries can lead: that covers every permutation, with duplicates in all places, by some
thousand deliveries instead of millions. Two come at once, and time passes, only where few events have come; of a long
story, one fewer. Greater batches, and failures within them, are for random walks.

A sequence is right if
- the rows are those of the same events in their order, one by one, each once;
- an event is never applied twice, and one that comes for the first time is no duplicate;
- every message is answered for, and none is a fault or to come again;
- what the TTL service took stays away, and it takes no row before the last event about it expires;
- a row that has expired and was not taken yet is as good as taken: nothing of it comes back to life.

Rows of slow data without their anchor expire so long after their last write; what is written later begins anew.
"""

import heapq
import importlib
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations_with_replacement, count, groupby
from pathlib import Path
from typing import NamedTuple, Self

from andon.dynamodb.attribute_values import Attributes, Item, to_plain
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.dynamodb.ttl import is_expired, ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.group import body_of as body_of_group
from andon.handlers.declared_listener import listener_of
from andon.packages.package import Package
from andon.project import project
from andon.runtime import log
from andon.runtime.tried import Failed, tried
from andon.testing.environment import LocalContext, frozen_clock, is_quick
from andon.testing.lambda_events import sqs_event
from andon.testing.memory.aws import OneTable
from andon.testing.memory.one_bucket import OneBucket
from andon.testing.memory.tables import Partitions
from andon.testing.orders import cut_into_batches
from andon.testing.samples import body_of, is_of_old, paths, sample
from andon.views.materialize import Listener, interpret, materialize
from andon.views.object_table import ObjectKeys
from andon.views.outcome import Outcome
from andon.views.view_update import ViewUpdate, event_order
from andon.views.view_updates import updates_in
from andon.wire.queue import OWN, beside

# The difference of two states of a table, row by row and attribute by attribute.


def diff_rows(before: list[Item], after: list[Item], keys: Keys) -> Iterator[str]:
    """Return lines: `+` a new row or attribute, `-` a removed one, `~` a changed one with both values."""
    was, now = _by_key(before, keys), _by_key(after, keys)
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            sign = "~" if key in was and key in now else "+" if key in now else "-"
            yield f"{sign} " + ", ".join(f"{name} = {value}" for name, value in zip(keys.names, key, strict=True))
            yield from (f"    {line}" for line in _attributes(was.get(key, {}), now.get(key, {}), keys))


def _by_key(rows: list[Item], keys: Keys) -> dict[tuple[str, ...], Item]:
    return {tuple(str(row[name]) for name in keys.names): row for row in rows}


def _attributes(was: Mapping[str, object], now: Mapping[str, object], keys: Keys) -> Iterator[str]:
    for name in sorted((was.keys() | now.keys()) - set(keys.names)):
        if name not in was:
            yield f"+ {name}: {now[name]!r}"
        elif name not in now:
            yield f"- {name}: {was[name]!r}"
        elif was[name] != now[name]:
            yield f"~ {name}: {was[name]!r} -> {now[name]!r}"


LIMIT = 4
FEW = 3  # the mistakes that are known show by four events one by one, or by fewer in batches and with time between
MANY = 10  # events of a story: there are 210 sets of four of them, of 15 there are 1,365
_WALKS = 25
BATCH = 10
_UNACKNOWLEDGED = 0.3  # of the batches of a walk
GROUPED = 0.5

Story = Sequence[DomainEvent]
Rows = str
"""The rows of a table as JSON, so that they can be compared, kept and put back."""
_NO_ROWS: Rows = "{}"


@dataclass(frozen=True, slots=True)
class Deliver:
    """A batch of events; after `busy` writes DynamoDB takes no more, and what is given back comes again.

    grouped: those of one type come in one message, whatever lies between them. A function that stops between its
    writes and the acknowledgement is a batch delivered twice.
    """

    events: tuple[DomainEvent, ...]
    busy: int | None = None
    grouped: bool = False

    def __str__(self) -> str:
        events = ", ".join(f"{event.type} {event_order(event)}" for event in self.events)
        busy = "" if self.busy is None else f"; DynamoDB is busy after {self.busy} writes, and what failed comes again"
        return f"deliver {'in groups ' if self.grouped else ''}{events}{busy}"

    @property
    def short(self) -> str:
        """Write it in short: ids of events, joined by `+`."""
        return "+".join(event.id for event in self.events) + ("" if self.busy is None else f" (busy after {self.busy})")


@dataclass(frozen=True, slots=True)
class Reap:
    """It becomes so late, and the TTL service deletes what has expired; or, if it is not `done`, has not come yet."""

    at_ms: int
    done: bool = True

    def __str__(self) -> str:
        return f"reap what has expired at {self.at_ms}" if self.done else f"let it expire until {self.at_ms}"

    @property
    def short(self) -> str:
        """Write it in short."""
        return "reap" if self.done else "expire"


Steps = tuple[Deliver | Reap, ...]


class Diverged(AssertionError):
    """A view does not converge: `steps` is the shortest sequence that shows it."""

    def __init__(self, view: str, steps: Steps, why: str) -> None:
        self.steps = steps
        self.why = why
        told = [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
        super().__init__("\n  ".join([f"{view} does not converge:", *told, why]))

    @property
    def shortest(self) -> str:
        """Write the sequence in short: ids of events, `+` within a batch."""
        return ", ".join(step.short for step in self.steps)


def view_of(name: str) -> Listener:
    """Find a view by its name."""
    view: Listener = listener_of(Package("views", name).folder)
    return view


def stories_of(name: str) -> dict[str, Story]:
    """Find the stories for a view: the samples of each row, and `STORIES` in `tests/views/<name>/stories.py`.

    Samples that it cannot read are in none: see `unread_by`.
    """
    stories: dict[str, list[DomainEvent]] = {}
    for _, event, row in _samples_for(view_of(name)):
        if not isinstance(row, Failed):
            stories.setdefault(f"samples of {row}", []).append(event)
    found: dict[str, Story] = dict(stories)
    if (project().root / "tests" / "views" / name / "stories.py").exists():
        found |= importlib.import_module(f"tests.views.{name}.stories").STORIES
    return found


def unread_by(name: str) -> list[str]:
    """Return a sentence for each sample that a view subscribes to and cannot read."""
    return [
        f"view {name} cannot read events/domain/{path.name}: {row.error}; "
        + ("an old shape is lifted by UPCASTERS" if is_of_old(path) else "see its view.py")
        for path, _, row in _samples_for(view_of(name))
        if isinstance(row, Failed)
    ]


def _samples_for(view: Listener) -> Iterator[tuple[Path, DomainEvent, str | Failed]]:
    """Yield each sample that a view subscribes to, and the row that it is about."""
    for path in paths("domain"):
        event = DomainEvent.from_wire(sample("domain", path.stem))
        if is_of_old(path):  # often a copy of a sample of today, as it was: here it is an event of its own
            event = event._replace(id=f"{event.id} {path.stem}")
        if _source(view, event):
            yield path, event, tried(_row, view, event)


def converges(view: Listener, story: Story, *, limit: int | None = None, walks: int = _WALKS) -> int:
    """Deliver every sequence of up to `limit` events of a story, and `walks` random ones of all; count the sequences.

    Unless a limit is given, it is `LIMIT`, and `FEW` for a story of more than `MANY` events. Two come in one batch only
    among the first `FEW`, and time passes after those at the latest; in a story of more than `MANY`, among one fewer.

    Raises:
        Diverged: one of them breaks.

    """
    if limit is None:
        limit = LIMIT if len(story) <= MANY else FEW
    if is_quick():
        limit, walks = min(limit, 2 if len(story) <= MANY else 1), min(walks, 3)
    with _Lab(view, story) as lab:
        return lab.explore(limit) + lab.walk(walks)


def mistaken_dates(view: Listener, events: Iterable[DomainEvent]) -> Iterator[str]:
    """Yield what is wrong with the dates of a view's rows, and what to write where."""
    dated: dict[str, set[bool]] = {}
    for event, update in ((one, update) for one in events for update in updates_of(view, one)):
        dated.setdefault(update.oplock, set()).add(update.expires_at is not None)
        if update.expires_at is None:
            continue
        if view.expires_within_days is None:
            yield f"{event.type}: its row has a date; write EXPIRES_WITHIN_DAYS into view.py of {view.name}"
        elif update.expires_at > ttl_at(event.timestamp_ms, view.expires_within_days):
            yield f"{event.type}: its date lies beyond EXPIRES_WITHIN_DAYS in view.py of {view.name}"
    for oplock in sorted(oplock for oplock, ways in dated.items() if len(ways) > 1):
        yield f"{oplock}: each update under it says expires_at, or none does"


class Moment(NamedTuple):
    """State after a sequence. seen: the events delivered; kept: those, without what expired and may be forgotten."""

    rows: Rows
    now_ms: int
    seen: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()


class _Path(NamedTuple):
    """A sequence; cost: events, then messages and other steps, then batches of several, and its number."""

    cost: tuple[int, int, int, int]
    moment: Moment
    steps: Steps = ()
    why: str | None = None


Outcomes = Counter[Outcome]


class _Lab:
    """A view over rows in memory, and what is known of its ways from rows to rows."""

    def __init__(self, view: Listener, story: Story) -> None:
        self._view, self._story = view, story
        # Everything happened just now, or as long ago as it says.
        self._start_ms = max(event.timestamp_ms for event in story)
        self._updates = [updates_of(view, event) for event in story]
        self._rows = [{_named(view.table.keys.names, update.key) for update in updates} for updates in self._updates]
        self._anchor = next(filter(None, (update.anchor for update in chain.from_iterable(self._updates))), None)
        self._expiry = [self._expiry_of(event) for event in story]
        self._bodies = {event.id: body_of(event, _source(view, event)) for event in story}
        self._numbers = {event.id: number for number, event in enumerate(story)}
        self._known: dict[tuple[object, ...], tuple[Rows, Outcomes]] = {}
        self._references: dict[frozenset[int], Rows] = {frozenset(): _NO_ROWS}
        # Most ways lead to rows that were met before.
        self._alive, self._without_time = cache(_alive), cache(_without_time)
        self._ways = count()
        if len(self._bodies) != len(story):
            raise ValueError("an id names one event")

    def __enter__(self) -> Self:
        table = self._view.table
        self._memory = OneTable(table.variable, table.keys) if isinstance(table, Table) else OneBucket(table)
        self._memory.__enter__()
        self._line = _LastLine()
        self._write, log.write = log.write, self._line.hear
        return self

    def __exit__(self, *error: object) -> None:
        log.write = self._write
        self._memory.__exit__(None, None, None)

    def explore(self, limit: int) -> int:
        """Go every way from everywhere, the shortest first.

        Raises:
            Diverged: a way leads astray.

        """
        begin = _Path((0, 0, 0, 0), Moment(_NO_ROWS, self._start_ms))
        ways, been = [(begin.cost, begin)], set[Moment]()
        while ways:
            _, way = heapq.heappop(ways)
            if way.why:
                raise Diverged(self._view.name, way.steps, way.why)
            if way.moment in been:
                continue
            been.add(way.moment)
            for step in self._steps(way.moment, limit):
                further = self._go(way, step)
                if further.why or further.moment not in been:
                    heapq.heappush(ways, (further.cost, further))
        return len(been)

    def walk(self, walks: int) -> int:
        """Deliver everything twice, in random batches: some are not acknowledged, some meet a busy DynamoDB.

        Raises:
            Diverged: a walk leads astray; it is cut down to what is needed for that.

        """
        chance = random.Random(7)  # noqa: S311  the same walks at every run
        for _ in range(walks):
            steps: Steps = tuple(self._random_steps(chance))
            if self._astray(steps):
                steps = self._cut_down(steps)
                raise Diverged(self._view.name, steps, str(self._astray(steps)))
        return walks

    def _expiry_of(self, event: DomainEvent) -> int | None:
        """Return the second at which an event expires on arrival (epoch seconds); None: it never does."""
        return None if self._view.ttl_days is None else ttl_at(event.timestamp_ms, self._view.ttl_days)

    def _end_of(self, number: int) -> int | None:
        """Return the second until which an event keeps its row: its expiry, or its date."""
        expiry, date = self._expiry[number], self._updates[number][0].expires_at
        return expiry if date is None or expiry is None else max(expiry, date)

    def _ends(self) -> set[int]:
        """Return the seconds at which rows expire (epoch seconds)."""
        skeletons = {ttl_at(self._start_ms, self._anchor.skeleton_days)} if self._anchor else set()
        ends = {self._end_of(number) for number in range(len(self._story))}
        return skeletons | {end for end in (*self._expiry, *ends) if end is not None}

    @property
    def _few(self) -> int:
        """The events among which two come at once, and after which time passes."""
        return FEW if len(self._story) <= MANY else FEW - 1

    def _steps(self, moment: Moment, limit: int) -> Iterator[Deliver | Reap]:
        """List what may happen next: one event or two in a batch, or time passes (once, to right before or after)."""
        numbers = range(len(self._story))
        # Batches of more are for the walks; when time has passed, two at once tell nothing new.
        sizes = (1, 2) if moment.now_ms == self._start_ms else (1,)
        for size in sizes:
            for batch in combinations_with_replacement(numbers, size):
                if len(moment.seen.union(batch)) <= (limit if size == 1 else min(limit, self._few)):
                    yield Deliver(tuple(self._story[number] for number in batch))
        if 1 <= len(moment.seen) <= self._few and moment.now_ms == self._start_ms:
            for second in sorted({end + more for end in self._ends() for more in (-1, 0)}):
                if second * 1000 > self._start_ms:
                    yield Reap(second * 1000)
                    yield Reap(second * 1000, done=False)

    def _go(self, way: _Path, step: Deliver | Reap) -> _Path:
        moment, why = self._reaped(way.moment, step) if isinstance(step, Reap) else self._delivered(way.moment, step)
        messages = 1 if isinstance(step, Reap) else len(step.events)
        _, before, batches, _ = way.cost
        cost = (len(moment.seen), before + messages, batches + messages // 2, next(self._ways))
        return _Path(cost, moment, (*way.steps, step), why or self._wrong_rows(moment))

    def _delivered(self, moment: Moment, step: Deliver) -> tuple[Moment, str | None]:
        rows, outcomes = self._deliver(moment.rows, moment.now_ms, step)
        numbers = {self._numbers[event.id] for event in step.events}
        alive = {number for number in numbers if not self._is_expired(number, moment.now_ms)}
        kept = moment.kept | (alive if moment.now_ms == self._start_ms or self._anchor else alive - moment.seen)
        return Moment(rows, moment.now_ms, moment.seen | numbers, kept), _wrong_outcomes(
            outcomes,
            len(step.events),
            again=numbers <= (moment.kept if self._anchor else moment.seen),
            new=step.busy is None and not numbers & moment.seen,
        )

    def _reaped(self, moment: Moment, step: Reap) -> tuple[Moment, str | None]:
        rows = self._alive(moment.rows, step.at_ms) if step.done else moment.rows
        keeping = [self._rows[number] for number in moment.seen if self._keeps_its_row(number, step.at_ms)]
        interesting = set[str]().union(*keeping)
        kept = frozenset(number for number in moment.kept if self._rows[number] & interesting)
        return moment._replace(rows=rows, now_ms=step.at_ms, kept=kept), None

    def _keeps_its_row(self, number: int, now_ms: int) -> bool:
        if self._anchor is None or now_ms // 1000 < ttl_at(self._start_ms, self._anchor.skeleton_days):
            end = self._end_of(number)
            return end is None or not is_expired(end, now_ms)
        return self._updates[number][0].oplock == self._anchor.oplock

    def _is_expired(self, number: int, now_ms: int) -> bool:
        expiry = self._expiry[number]
        return expiry is not None and is_expired(expiry, now_ms)

    def _wrong_rows(self, moment: Moment) -> str | None:
        reference, rows = self._reference(moment.kept), self._alive(moment.rows, moment.now_ms)
        if self._anchor:  # a skeleton's ttl depends on when it was written, too
            reference, rows = self._without_time(reference), self._without_time(rows)
        elif any(len(updates) > 1 for updates in self._updates):
            reference = self._without_ended(reference, moment)
        if rows == reference:
            return None
        difference = diff_rows(_plain(reference), _plain(rows), self._view.table.keys)
        return "\n  ".join(["and the rows are wrong (-: as they ought to be, +: as they are):", *difference])

    def _without_ended(self, rows: Rows, moment: Moment) -> Rows:
        """Leave out rows of which all events have ended: of those that one event changed, another may live on."""
        going_on = (
            self._rows[number]
            for number in moment.kept
            if (end := self._end_of(number)) is None or not is_expired(end, moment.now_ms)
        )
        alive, names = set[str]().union(*going_on), self._view.table.keys.names
        left = {
            partition: {sort: row for sort, row in some.items() if _named(names, to_plain(row)) in alive}
            for partition, some in json.loads(rows).items()
        }
        return _frozen({partition: some for partition, some in left.items() if some})

    def _reference(self, numbers: frozenset[int]) -> Rows:
        """Deliver events in their order, each once and alone."""
        if numbers not in self._references:
            last = max(numbers, key=self._order)
            before = self._reference(numbers - {last})
            self._references[numbers], _ = self._deliver(before, self._start_ms, Deliver((self._story[last],)))
        return self._references[numbers]

    def _order(self, number: int) -> tuple[int, int, str]:
        event = self._story[number]
        return self._updates[number][0].about_ms or event.timestamp_ms, event.timestamp_ms, event.id

    def _deliver(self, rows: Rows, now_ms: int, step: Deliver) -> tuple[Rows, Outcomes]:
        known = (rows, now_ms, step.busy, step.grouped, *(event.id for event in step.events))
        if known not in self._known:
            self._known[known] = self._really_deliver(rows, now_ms, step)
        return self._known[known]

    def _really_deliver(self, rows: Rows, now_ms: int, step: Deliver) -> tuple[Rows, Outcomes]:
        self._memory.partitions = json.loads(rows)
        with frozen_clock(now_ms):
            self._memory.busy_after(step.busy)
            again, outcomes = self._materialize(self._messages(step))
            if step.busy is not None:
                outcomes.pop(Outcome.FAILED)
                self._memory.busy_after(None)
                _, more = self._materialize(again)
                outcomes.update(more)
        return _frozen(self._memory.partitions), outcomes

    def _messages(self, step: Deliver) -> list[str]:
        """Return the messages in which the events of a step come."""
        bodies = [self._bodies[event.id] for event in step.events]
        if not step.grouped:
            return bodies
        return [body_of_group(some) for _, some in groupby(sorted(bodies, key=_rule_of), _rule_of)]

    def _materialize(self, bodies: Sequence[str]) -> tuple[list[str], Outcomes]:
        """Call the listener; give the messages that come again, and how many events had which outcome."""
        batch = sqs_event(bodies)
        answer = materialize(batch, LocalContext("listener"), listener=self._view)
        by_message = {record["messageId"]: record["body"] for record in batch["Records"]}
        again = [by_message[failure["itemIdentifier"]] for failure in answer["batchItemFailures"]]
        again += self._memory.queues.take(beside(os.environ[OWN], self._view.queue))
        return again, Counter({outcome: self._line.told[outcome.value] for outcome in Outcome})

    def _random_steps(self, chance: random.Random) -> Iterator[Deliver]:
        messages = [*self._story, *self._story]
        chance.shuffle(messages)
        for batch in cut_into_batches(chance, messages, BATCH):
            grouped = chance.random() < GROUPED
            yield Deliver(batch, chance.choice([None, chance.randrange(len(batch) + 1)]), grouped)
            if chance.random() < _UNACKNOWLEDGED:
                yield Deliver(batch)

    def _astray(self, steps: Steps) -> str | None:
        """Return the error in a sequence of deliveries; None: there is none."""
        way = _Path((0, 0, 0, 0), Moment(_NO_ROWS, self._start_ms))
        for step in steps:
            way = self._go(way, step)
            if way.why:
                return way.why
        return None

    def _cut_down(self, steps: Steps) -> Steps:
        """Leave out what can be left out, step by step and event by event, as long as it goes astray."""
        for shorter in _shorter(steps):
            if self._astray(shorter):
                return self._cut_down(shorter)
        return steps


def _shorter(steps: Steps) -> Iterator[Steps]:
    for number, step in enumerate(steps):
        before, behind = steps[:number], steps[number + 1 :]
        yield before + behind
        if isinstance(step, Deliver) and len(step.events) > 1:
            for left_out in range(len(step.events)):
                events = step.events[:left_out] + step.events[left_out + 1 :]
                yield (*before, replace(step, events=events), *behind)
        if isinstance(step, Deliver) and step.busy:
            yield (*before, replace(step, busy=step.busy - 1), *behind)


def _wrong_outcomes(outcomes: Outcomes, messages: int, *, again: bool, new: bool) -> str | None:
    if sum(outcomes.values()) != messages or outcomes[Outcome.FAULT] or outcomes[Outcome.FAILED]:
        return f"the last of {messages} came out as {_told(outcomes)}"
    if again and outcomes[Outcome.APPLIED]:
        return "applies again what was there before"
    if new and messages == 1 and outcomes[Outcome.DUPLICATE]:
        return "takes for a duplicate what was never there before"
    return None


def _told(outcomes: Outcomes) -> str:
    return ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items() if number) or "nothing"


def _is_reaped(row: Item, now_ms: int) -> bool:
    return "ttl" in row and is_expired(int(row["ttl"]["N"]), now_ms)


def _alive(rows: Rows, now_ms: int) -> Rows:
    """Leave out what has expired."""
    left = {
        partition: {sort: row for sort, row in rows.items() if not _is_reaped(row, now_ms)}
        for partition, rows in json.loads(rows).items()
    }
    return _frozen({partition: rows for partition, rows in left.items() if rows})


def _without_time(rows: Rows) -> Rows:
    return re.sub(r'"ttl": {"N": "\d+"}', '"ttl": {"N": "0"}', rows)


def _frozen(rows: Partitions) -> Rows:
    return json.dumps(rows, sort_keys=True, ensure_ascii=False)


def _plain(rows: Rows) -> list[Item]:
    return [to_plain(row) for partition in json.loads(rows).values() for row in partition.values()]


def _rule_of(body: str) -> tuple[str, str]:
    """Return the source and the type of a message: what a rule matches."""
    envelope = json.loads(body)
    return envelope["source"], envelope["detail-type"]


def _source(view: Listener, event: DomainEvent) -> str:
    """Return the service that a view subscribes to an event of; empty: none."""
    return next((source for source, event_type in view.on if event_type == event.type), "")


def _row(view: Listener, event: DomainEvent) -> str:
    """Return the key of the row that an event is about; of objects the part that stays when the entry moves."""
    key, keys = updates_of(view, event)[0].key, view.table.keys
    names = keys.within if isinstance(keys, ObjectKeys) else key
    return " ".join(str(key[name]) for name in names)


def _named(names: Iterable[str], row: Attributes) -> str:
    """Return the key of a row as text."""
    return " ".join(str(row[name]) for name in names)


def updates_of(view: Listener, event: DomainEvent) -> tuple[ViewUpdate, ...]:
    """Return the updates that a view makes of an event: one, but in objects also those of rows that it left."""
    body = body_of(event, _source(view, event))
    _, update = interpret(body, view.on, view.upcasters, now_ms=event.timestamp_ms)
    return updates_in(update)


class _LastLine:
    """Hears what is logged, and keeps the last of it."""

    told: dict[str, int]

    def hear(self, line: str) -> None:
        self.told = json.loads(line)
