"""The process of one tree: `python -m andon.tools.what_if.tree`. It says which rules there are, then replays some.

It writes one line of JSON to stdout: `TreeRules`; reads orders from stdin, each a line: `ReplayOrder`; writes decisions
to files, one line each, and at the end of each order `Replayed` to stdout. What the project's own code prints goes to
stderr.
"""

import gc
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final, TextIO, TypedDict

import orjson

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import TableSchema
from andon.events.topic import Topic
from andon.rules.micro_event_store import VARIABLE
from andon.tools.what_if.known_tables import KnownTables, SimulatedClock
from andon.tools.what_if.lake_record import LakeRecord, record_in
from andon.tools.what_if.report import RowKey, own_cost
from andon.tools.what_if.simulation import (
    Decided,
    Recorded,
    ReplayedService,
    Simulation,
    control_of,
    control_services,
    replayed_services,
)

# Groups of events that were replayed one after another: the services for which they were not apart. Pure.
#
# A service was not apart if what it looked at in one group was changed in another one: the events of a correlation
# key at which a rule was evaluated; a partition that it read for what rules know beside events; a row that a rule
# decided, for the first decision wins.


class GroupOverlap:
    """Takes what was changed in each group, and looked at. Places are kept as hashes, groups as bits of a number."""

    def __init__(self) -> None:
        self._changed = defaultdict[int, int](int)
        self._looked_at = defaultdict[tuple[str, int], int](int)

    def add_changed(self, group: int, places: Iterable[Hashable]) -> None:
        """Take what was changed in a group, and is not the same in all groups."""
        for place in places:
            self._changed[hash(place)] |= 1 << group

    def add_looked_at(self, group: int, source: str, places: Iterable[Hashable]) -> None:
        """Take what a service looked at in a group."""
        for place in places:
            self._looked_at[source, hash(place)] |= 1 << group

    @property
    def mixed(self) -> set[str]:
        """The sources of those that were not apart."""
        return {
            source
            for (source, place), groups in self._looked_at.items()
            if place in self._changed and (groups | self._changed[place]).bit_count() > 1
        }


FACTS: Final = "facts"
"""The file with facts that other services hear."""

_IGNORED: Final = frozenset({"digest", "fingerprint", "hops", "ttl"})
"""Members of a row that are not compared: they follow from the others, or from when a row is written."""


class RuleFacts(TypedDict):
    """A rule, as far as the other side has to know it; times in milliseconds. on: pairs (source, type)."""

    service: str
    id: str
    on: list[Topic]
    emits: list[str]
    window_ms: int
    after_ms: int
    needs_context: bool
    is_replayable: bool


class ServiceFacts(TypedDict):
    """A service with rules: the names of its table's key, its table, the topics that it subscribes to."""

    keys: list[str]
    table: str
    topics: list[Topic]


class TreeRules(TypedDict):
    """All rules and services of a tree."""

    rules: list[RuleFacts]
    services: dict[str, ServiceFacts]


class ReplayOrder(TypedDict):
    """The replay that is asked for.

    replayed: service -> ids of rules that are decided. asked: names of those that are reported. groups: files of
    records that belong together. is_rest: some of the files' records are for other services. known: rows from the
    start; pinned: keys of those that no event changes, as `repr`. recorded: the file with what the lake has of
    decisions, lines of [service, key, time]. since_ms, end_ms: the times of the first anchor that counts, and of the
    end. out: the folder for decisions.
    """

    replayed: dict[str, list[str]]
    asked: list[str]
    groups: list[list[str]]
    is_rest: bool
    known: dict[str, list[Item]]
    pinned: list[str]
    since_ms: int
    end_ms: int
    hold_back_seconds: float
    recorded: str
    out: str


class Replayed(TypedDict):
    """The end of a replay. mixed: services of which nothing counts, for their groups were not apart, see `overlap`.

    files: decisions, one file for each group. facts: the file with what other services hear of them, as records.
    cpu_s, peak_bytes: see `ProcessCost`.
    """

    mixed: list[str]
    files: list[str]
    facts: str
    pending: dict[str, int]
    late: dict[str, int]
    faults: dict[str, int]
    why: dict[str, str]
    cpu_s: float
    peak_bytes: int


class DecidedLine(TypedDict):
    """A decision as a line. at, decided: epoch milliseconds. key: pairs."""

    rule: str
    key: list[list[str | int]]
    at: int
    anchor: str
    subject: str
    decided: int
    row: dict[str, object]


def tree_rules() -> TreeRules:
    """Return the rules of the project that this process imports from."""
    rules, of = list[RuleFacts](), dict[str, ServiceFacts]()
    for package in control_services():
        control = control_of(package)
        source = control.rules.source
        topics = sorted(package.subscriptions)
        of[source] = {"keys": [*control.table.keys.names], "table": control.table.variable, "topics": topics}
        rules += (
            {
                "service": source,
                "id": rule.id,
                "on": sorted(rule.on),
                "emits": sorted(rule.emits),
                "window_ms": rule.window_ms,
                "after_ms": max(rule.after_ms, rule.timing.gap_ms or 0),
                "needs_context": rule.needs_context,
                "is_replayable": rule.is_replayable,
            }
            for rule in control.rules.all
        )
    return {"rules": rules, "services": of}


def replay(order: ReplayOrder) -> Replayed:
    """Replay, and write the decisions of each group into a file of its number, and what others hear into one file."""
    services = replayed_services(order["replayed"])
    clock, recorded = SimulatedClock(), recorded_in(order["recorded"])
    tables = KnownTables(_schemas_of(services), order["known"], clock)
    with tables:
        os.environ[VARIABLE] = str(order["hold_back_seconds"])
        for service in services:
            service.knows_by(tables)
        clock.stand_in()
        simulation = Simulation(services, tables, clock, recorded, pinned=frozenset(order["pinned"]))
        mixed = _replay_groups(order, services, tables, simulation)
    faults, why, cost = simulation.faults, simulation.why, own_cost()
    return {
        "mixed": sorted(mixed),
        "files": [_file(order, number) for number in range(len(order["groups"]))],
        "facts": str(Path(order["out"]) / FACTS),
        "pending": dict(simulation.pending),
        "late": dict(simulation.late),
        "faults": dict(faults),
        "why": why,
        "cpu_s": cost.cpu_s,
        "peak_bytes": cost.peak_bytes,
    }


def _replay_groups(
    order: ReplayOrder, services: Sequence[ReplayedService], tables: KnownTables, simulation: Simulation
) -> set[str]:
    """Return the services whose groups were not apart."""
    asked, overlap, folder = frozenset(order["asked"]), GroupOverlap(), Path(order["out"])
    is_wanted = partial(_is_for, services) if order["is_rest"] else None
    with (folder / FACTS).open("wb") as facts:
        for number, files in enumerate(order["groups"]):
            records = records_in(files, is_wanted)
            with Path(_file(order, number)).open("wb") as out:
                for one in simulation.run(records, end_ms=order["end_ms"], since_ms=order["since_ms"]):
                    if one.rule in asked:
                        out.write(orjson.dumps(line_of(one)) + b"\n")
                    if one.fact is not None:
                        facts.write(one.fact.to_bytes())
            overlap.add_changed(number, tables.written)
            for service in services:
                overlap.add_changed(number, service.changed())
                overlap.add_looked_at(number, service.source, service.looked_at())
    return overlap.mixed


def _file(order: ReplayOrder, number: int) -> str:
    return str(Path(order["out"], f"{number}.jsonl"))


def _is_for(services: Sequence[ReplayedService], line: bytes) -> bool:
    """Return True if a service hears the event of a line of records, or has published it."""
    delivery = record_in(line).delivery
    topic = (delivery.source, delivery.event.type)
    return any(topic in one.on or topic[0] == one.source for one in services)


def recorded_in(file: str) -> Recorded:
    """Read when the lake's decisions came."""
    lines = (orjson.loads(line) for line in Path(file).read_bytes().splitlines())
    return {(source, key_in(key)): taken_ms for source, key, taken_ms in lines}


def key_in(pairs: Sequence[Sequence[str | int]]) -> RowKey:
    """Return a key that is written as pairs."""
    return tuple((str(name), value) for name, value in pairs)


def records_in(files: Iterable[str], is_wanted: Callable[[bytes], bool] | None = None) -> Iterator[LakeRecord]:
    """Yield the records of some files in order, each once; is_wanted: None: all of them."""
    read = chain.from_iterable(map(_lines_in, files))
    lines = sorted(read if is_wanted is None else filter(is_wanted, read), reverse=True)
    before = b""
    while lines:  # what was read is let go
        line = lines.pop()
        if line != before:
            yield record_in(line)
        before = line


def _lines_in(file: str) -> Iterator[bytes]:
    with Path(file).open("rb") as lines:
        yield from lines


def line_of(decided: Decided) -> DecidedLine:
    """Return a decision as a line."""
    anchor, names = decided.anchor, {name for name, _ in decided.key}
    return {
        "rule": decided.rule,
        "key": [[name, value] for name, value in decided.key],
        "at": anchor.timestamp_ms,
        "anchor": anchor.id,
        "subject": anchor.partition_key,
        "decided": decided.decided_ms,
        "row": compared(decided.row, names),
    }


def compared(row: Mapping[str, object], key: set[str]) -> dict[str, object]:
    """Return the members of a row that are compared."""
    return {name: value for name, value in sorted(row.items()) if name not in _IGNORED and name not in key}


def _schemas_of(services: Sequence[ReplayedService]) -> dict[str, TableSchema]:
    return {variable: schema for one in services for variable, schema in one.package.tables.items()}


def main(out: TextIO) -> None:
    """Answer which rules there are, take orders, carry them out."""
    gc.disable()  # hardly anything that it makes is a circle, and looking for them takes a tenth of its time
    out.write(orjson.dumps(tree_rules()).decode() + "\n")
    out.flush()
    for order in sys.stdin:
        out.write(orjson.dumps(replay(orjson.loads(order))).decode() + "\n")
        out.flush()


if __name__ == "__main__":
    _out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr  # whatever the project's code prints
    main(_out)
