"""The lake -> files of records by shards of subjects, and what it says of decisions. Each line is read once."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final, NamedTuple

import orjson

from andon.dynamodb.attribute_values import Item
from andon.events.actor import rule_of
from andon.events.bus_entry import Delivery
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.recorded.archive import SHARDS, shard_of
from andon.rules.rule import TRIGGERS
from andon.runtime.tried import Failed, tried
from andon.tools.what_if.asked import RuleNames, name_of
from andon.tools.what_if.lake_record import EVERYWHERE, LakeRecord, delivery_in, record_in
from andon.tools.what_if.report import ReplayedLake, RowKey, row_key
from andon.tools.what_if.tree import TreeRules, compared

# Of what lies before the replay, the newest of each subject and type: a look-back may end there.
EARLIER: Final = 3
# So few events are replayed together.
FEW_EVENTS: Final = 50_000


class Sought(NamedTuple):
    """The part of the lake that is replayed.

    anchors: topics of events that rules are evaluated at. others: topics of what services keep beside. replayed: the
    rules whose decisions are not fed. keys: service -> names of its table's key. from_ms: the first event; until_ms:
    the last, None: as far as the lake goes.
    """

    anchors: frozenset[Topic]
    others: frozenset[Topic]
    replayed: RuleNames
    keys: Mapping[str, Sequence[str]]
    from_ms: int
    until_ms: int | None


class RecordedDecision(NamedTuple):
    """A decision as the lake has it. triggered_ms: the newest event that it names; row: what is compared, as JSON."""

    rule: str
    taken_ms: int
    triggered_ms: int
    subject: str
    row: bytes


class SplitLake(NamedTuple):
    """The files of all shards, the decisions that the lake has, and the first state of rows that facts tell of.

    first_rows: service and key -> when its first fact came, and the row before it, None: there was none.
    """

    groups: list[list[str]]
    decisions: Mapping[tuple[str, RowKey], RecordedDecision]
    first_rows: Mapping[tuple[str, RowKey], tuple[int, Item | None]]
    lake: ReplayedLake
    without_row: int

    @property
    def files(self) -> list[str]:
        """All files of records."""
        return [file for group in self.groups for file in group]


class Splitter:
    """Takes lines of the lake. few_events: so few are one group."""

    def __init__(self, sought: Sought, room: Path, *, few_events: int = FEW_EVENTS) -> None:
        self._few_events = few_events
        self._sought, self._files = sought, [room / f"shard-{number:02}" for number in range(SHARDS)]
        self._beside = room / "beside"
        self._decisions: dict[tuple[str, RowKey], RecordedDecision] = {}
        self._first_rows: dict[tuple[str, RowKey], tuple[int, Item | None]] = {}
        self._earlier: dict[tuple[str, Topic], deque[LakeRecord]] = {}
        self._subjects = set[str]()
        self._events = self._unreadable = self._without_row = 0
        self._first_ms: int | None = None
        self._last_ms: int | None = None
        self._stack = ExitStack()

    def split(self, lines: Iterable[bytes]) -> SplitLake:
        """Write the files, and return what they are."""
        with self._stack:
            self._out: list[IO[bytes]] = [self._stack.enter_context(file.open("wb")) for file in self._files]
            with self._beside.open("wb") as self._out_beside:
                for line in lines:
                    delivery = tried(delivery_in, line)
                    if isinstance(delivery, Failed):
                        self._unreadable += 1
                    else:
                        self._take(delivery)
            self._add_earlier()
            self._add_beside()
        return self._result()

    def _result(self) -> SplitLake:
        files = [str(file) for file in self._files]
        groups = [files] if self._events <= self._few_events else [[file] for file in files]
        lake = ReplayedLake(self._events, self._first_ms, self._last_ms, self._unreadable)
        return SplitLake(groups, self._decisions, self._first_rows, lake, self._without_row)

    def _take(self, delivery: Delivery) -> None:
        sought, topic, taken_ms = self._sought, (delivery.source, delivery.event.type), delivery.taken_ms
        self._first_ms = taken_ms if self._first_ms is None else min(self._first_ms, taken_ms)
        self._last_ms = taken_ms if self._last_ms is None else max(self._last_ms, taken_ms)
        is_own = delivery.source in sought.keys
        if is_own and (delivery.source, rule_of(delivery.event) or "") in sought.replayed:
            self._take_decision(delivery)
        elif sought.until_ms is not None and taken_ms > sought.until_ms:
            return
        elif topic in sought.anchors:
            self._take_anchor(topic, LakeRecord.of(delivery))
        elif is_own or topic in sought.others:
            self._events += 1
            self._out_beside.write(LakeRecord.of(delivery).to_bytes())
            if is_own:
                self._take_first(delivery.source, delivery.event, taken_ms)

    def _take_anchor(self, topic: Topic, record: LakeRecord) -> None:
        self._subjects.add(record.subject)
        if record.taken_ms >= self._sought.from_ms:
            self._events += 1
            self._out[shard_of(record.subject)].write(record.to_bytes())
            return
        held = self._earlier.setdefault((record.subject, topic), deque())
        held.append(record)
        if len(held) > EARLIER:
            held.remove(min(held))

    def _take_decision(self, delivery: Delivery) -> None:
        """Keep what the lake says was decided: the first version of the row."""
        event, row = delivery.event, delivery.event.new_row
        names = self._sought.keys[delivery.source]
        if row is None or not row.keys() >= {*names}:
            self._without_row += 1
            return
        key = (delivery.source, row_key(row, names))
        there = self._decisions.get(key)
        if there is None or delivery.taken_ms < there.taken_ms:
            rule = f"{delivery.source}.{rule_of(event)}"
            # A copy: what orjson returns has four kilobytes at least.
            as_compared = bytes(memoryview(orjson.dumps(compared(row, {*names}))))
            triggered_ms = max(triggers_in(row), default=event.timestamp_ms)
            self._decisions[key] = RecordedDecision(
                rule, delivery.taken_ms, triggered_ms, event.partition_key, as_compared
            )

    def _take_first(self, source: str, event: DomainEvent, taken_ms: int) -> None:
        row, names = event.new_row, self._sought.keys[source]
        if row is None or event.raw is None or not row.keys() >= {*names}:
            return
        key = (source, row_key(row, names))
        if key not in self._first_rows or taken_ms < self._first_rows[key][0]:
            self._first_rows[key] = taken_ms, event.raw.get("old")

    def _add_earlier(self) -> None:
        for (subject, _), held in self._earlier.items():
            for record in held:
                self._events += 1
                self._out[shard_of(subject)].write(record.to_bytes())

    def _add_beside(self) -> None:
        """Add the other events: to the shard of their subject if it has anchors, else to all, for all may know it."""
        with self._beside.open("rb") as lines:
            for line in lines:
                record = record_in(line)
                if record.subject in self._subjects:
                    self._out[shard_of(record.subject)].write(line)
                else:
                    everywhere = record._replace(mark=EVERYWHERE).to_bytes()
                    for out in self._out:
                        out.write(everywhere)


def triggers_in(row: Mapping[str, object]) -> Sequence[int]:
    """Return the times of the events that a decision names (epoch milliseconds)."""
    triggers = row.get(TRIGGERS)
    found = triggers if isinstance(triggers, list) else []
    return [one["timestamp"] for one in found if isinstance(one, dict) and isinstance(one.get("timestamp"), int)]


def sought_in(trees: Sequence[TreeRules], replayed: RuleNames, *, from_ms: int, until_ms: int | None) -> Sought:
    """Return the part that some rules of some trees need."""
    services = {service for service, _ in replayed}
    anchors = {
        (topic[0], topic[1])
        for tree in trees
        for rule in tree["rules"]
        if name_of(rule) in replayed
        for topic in rule["on"]
    }
    of = [facts for tree in trees for name, facts in tree["services"].items() if name in services]
    others = {(topic[0], topic[1]) for facts in of for topic in facts["topics"]}
    keys = {name: facts["keys"] for tree in trees for name, facts in tree["services"].items() if name in services}
    return Sought(frozenset(anchors), frozenset(others), replayed, keys, from_ms, until_ms)
