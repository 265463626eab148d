"""The process of one tree: `python -m andon.tools.what_if.tree`. It says which rules there are, then replays some.

It writes one line of JSON to stdout: `TreeRules`; reads one from stdin: `ReplayOrder`; writes decisions to files, one
line each, and at the end `Replayed` to stdout. What the project's own code prints goes to stderr.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, TextIO, TypedDict

import orjson

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.schema import TableSchema
from andon.events.topic import Topic
from andon.rules.hold_back import VARIABLE
from andon.tools.what_if.known_tables import KnownTables
from andon.tools.what_if.lake_record import LakeRecord, record_in
from andon.tools.what_if.replayed_service import ReplayedService, control_of, control_services, replayed_services
from andon.tools.what_if.report import RowKey
from andon.tools.what_if.simulation import Decided, Recorded, Simulation

IGNORED: Final = frozenset({"digest", "fingerprint", "hops", "ttl"})
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
    records that belong together. known: rows from the start; pinned: keys of those that no event changes, as `repr`.
    recorded: the file with what the lake has of decisions, lines of [service, key, time]. since_ms, end_ms: the times
    of the first anchor that counts, and of the end. out: the folder for decisions.
    """

    replayed: dict[str, list[str]]
    asked: list[str]
    groups: list[list[str]]
    known: dict[str, list[Item]]
    pinned: list[str]
    since_ms: int
    end_ms: int
    hold_back_seconds: float
    recorded: str
    out: str


class Replayed(TypedDict):
    """The end of a replay. mixed: events of one correlation key lay in several groups, so that nothing of it counts."""

    mixed: bool
    pending: dict[str, int]
    faults: dict[str, int]
    why: dict[str, str]
    cpu_s: float


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
            }
            for rule in control.rules.all
        )
    return {"rules": rules, "services": of}


def replay(order: ReplayOrder) -> Replayed:
    """Replay, and write the decisions of each group into a file of its number."""
    services = replayed_services(order["replayed"])
    tables = KnownTables(_schemas_of(services), order["known"])
    with tables:
        os.environ[VARIABLE] = str(order["hold_back_seconds"])
        for service in services:
            service.knows_by(tables.kept)
        simulation = Simulation(services, tables, recorded_in(order["recorded"]), pinned=frozenset(order["pinned"]))
        mixed = _replay_groups(order, services, simulation)
    faults, why = simulation.faults, simulation.why
    return {
        "mixed": mixed,
        "pending": dict(simulation.pending),
        "faults": dict(faults),
        "why": why,
        "cpu_s": sum(os.times()[:2]),
    }


def _replay_groups(order: ReplayOrder, services: Sequence[ReplayedService], simulation: Simulation) -> bool:
    """Return True if a correlation key was in several groups."""
    asked, seen = frozenset(order["asked"]), set[tuple[str, int]]()
    for number, files in enumerate(order["groups"]):
        decisions = simulation.run(records_in(files), end_ms=order["end_ms"], since_ms=order["since_ms"])
        with (Path(order["out"]) / f"{number}.jsonl").open("wb") as out:
            out.writelines(orjson.dumps(line_of(one)) + b"\n" for one in decisions if one.rule in asked)
        keys = {(one.source, hash(key)) for one in services for key, held in one.events.items() if held.is_anchored}
        if not seen.isdisjoint(keys):
            return True
        seen |= keys
    return False


def recorded_in(file: str) -> Recorded:
    """Read when the lake's decisions came."""
    lines = (orjson.loads(line) for line in Path(file).read_bytes().splitlines())
    return {(source, key_in(key)): taken_ms for source, key, taken_ms in lines}


def key_in(pairs: Sequence[Sequence[str | int]]) -> RowKey:
    """Return a key that is written as pairs."""
    return tuple((str(name), value) for name, value in pairs)


def records_in(files: Sequence[str]) -> Iterator[LakeRecord]:
    """Yield the records of some files in order, each once."""
    lines = [line for file in files for line in Path(file).read_bytes().split(b"\n") if line]
    lines.sort()
    yield from (record_in(line) for line, _ in groupby(lines))


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
    return {name: value for name, value in sorted(row.items()) if name not in IGNORED and name not in key}


def _schemas_of(services: Sequence[ReplayedService]) -> dict[str, TableSchema]:
    return {variable: schema for one in services for variable, schema in one.package.tables.items()}


def main(out: TextIO) -> None:
    """Answer which rules there are, take an order, carry it out."""
    out.write(orjson.dumps(tree_rules()).decode() + "\n")
    out.flush()
    if order := sys.stdin.readline():
        out.write(orjson.dumps(replay(orjson.loads(order))).decode() + "\n")
        out.flush()


if __name__ == "__main__":
    _out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr  # whatever the project's code prints
    main(_out)
