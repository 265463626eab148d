"""The lines of a lake -> what they say, for the model: plain values, read without the library.

All times are epoch milliseconds, but for the times of logs, which are fixed-width UTC.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from lab.what_if.plain_times import utc_of

SECOND_MS: Final = 1_000
RULE: Final = "rule:"
DECIDING: Final = frozenset({"dispatch", "notify"})
"""The services whose rules the model has."""
SEEN_CALL: Final = frozenset({"call-taken", "call-closed", "call-rejected"})

Key = tuple[str, str]
"""The primary key of a row."""

LogName = tuple[str, str]
"""The time and the state of a log."""


class Report(NamedTuple):
    """A report of a machine; in the order of time. number: its place in the order of arrival."""

    at_ms: int
    state: str
    arrived_ms: int
    number: int

    @property
    def is_normal(self) -> bool:
        """True if the machine reported NORMAL."""
        return self.state == "NORMAL"

    @property
    def name(self) -> LogName:
        """The log that it is."""
        return utc_of(self.at_ms), self.state

    @property
    def trigger(self) -> tuple[str, int]:
        """Its type and time, as a row that it was a reason of has them."""
        return "state-reported", self.at_ms


class Said(NamedTuple):
    """A fact about a log: that it was seen, or who has it (person). at_ms: its own time."""

    at_ms: int
    arrived_ms: int
    log: LogName
    person: str = ""


class Call(NamedTuple):
    """A call of a person; seen: when each fact came that says that somebody has seen it."""

    id: str
    machine: str
    category: str
    raised_at: str
    at_ms: int
    arrived_ms: int
    number: int


class Facts(NamedTuple):
    """The content of a lake.

    by machine: reports, acknowledged, assigned (by people), factories. calls; calls_seen: (own time, arrival, id). by
    factory: rosters, chains. taken: rows that people wrote, and since when. recorded: rows that rules decided, and
    since when; recorded_rows: what they say. end_ms: the newest of all.
    """

    reports: Mapping[str, Sequence[Report]]
    acknowledged: Mapping[str, Sequence[Said]]
    assigned: Mapping[str, Sequence[Said]]
    calls: Sequence[Call]
    calls_seen: Sequence[tuple[int, int, str]]
    factories: Mapping[str, str]
    rosters: Mapping[str, Mapping[str, Any]]
    chains: Mapping[str, Sequence[Mapping[str, Any]]]
    taken: Mapping[Key, int]
    recorded: Mapping[Key, int]
    recorded_rows: Mapping[Key, Mapping[str, Any]]
    end_ms: int

    def roster_of(self, machine: str) -> Mapping[str, Any]:
        """Return the roster of a machine's factory."""
        return self.rosters[self.factories[machine]]

    def chains_of(self, machine: str) -> Sequence[Mapping[str, Any]]:
        """Return the chains of a machine's factory."""
        return self.chains.get(self.factories[machine], ())


def facts_in(lines: Iterable[str]) -> Facts:
    """Read a lake; a line that is there twice counts once."""
    envelopes = sorted(map(json.loads, set(lines)), key=_order)
    reading = _Reading()
    for number, envelope in enumerate(envelopes):
        reading.take(envelope, number)
    return reading.facts(max(map(taken_ms, envelopes)))


def taken_ms(envelope: Mapping[str, Any]) -> int:
    """Return when the bus took an event: its second, or the event's own time within that."""
    bus_ms, own_ms = int(datetime.fromisoformat(envelope["time"]).timestamp() * 1000), envelope["detail"]["timestamp"]
    return own_ms if bus_ms <= own_ms < bus_ms + SECOND_MS else bus_ms


def _order(envelope: Mapping[str, Any]) -> tuple[int, int, str]:
    return taken_ms(envelope), envelope["detail"]["timestamp"], envelope["detail"]["partitionKey"]


class _Reading:
    def __init__(self) -> None:
        self.reports: dict[str, dict[tuple[int, str], Report]] = defaultdict(dict)
        self.acknowledged: dict[str, dict[str, Said]] = defaultdict(dict)
        self.assigned: dict[str, dict[str, Said]] = defaultdict(dict)
        self.calls: dict[str, Call] = {}
        self.calls_seen: dict[str, tuple[int, int, str]] = {}
        self.factories: dict[str, str] = {}
        self.rosters: dict[str, Mapping[str, Any]] = {}
        self.chains: dict[str, Sequence[Mapping[str, Any]]] = {}
        self.taken: dict[Key, int] = {}
        self.recorded: dict[Key, int] = {}
        self.recorded_rows: dict[Key, Mapping[str, Any]] = {}

    def take(self, envelope: Mapping[str, Any], number: int) -> None:
        fact, arrived_ms = envelope["detail"], taken_ms(envelope)
        row = (fact.get("raw") or {}).get("new") or {}
        is_rules = str(fact.get("tags", {}).get("actor", "")).startswith(RULE)
        if envelope["source"] in DECIDING and {"pk", "sk"} <= row.keys():
            (self.recorded if is_rules else self.taken).setdefault((row["pk"], row["sk"]), arrived_ms)
        if envelope["source"] in DECIDING and is_rules:
            said = {**row, "rule": f"{envelope['source']}.{row['rule']}"}
            self.recorded_rows.setdefault((row["pk"], row["sk"]), said)
        if not is_rules:
            self._heard(fact, arrived_ms, number)

    def _heard(self, fact: Mapping[str, Any], arrived_ms: int, number: int) -> None:
        machine, at_ms = fact["partitionKey"], fact["timestamp"]
        match fact["type"]:
            case "state-reported":
                report = Report(at_ms, fact["state"]["state"], arrived_ms, number)
                self.reports[machine].setdefault((report.at_ms, report.state), report)
            case "state-acknowledged":
                said = fact["acknowledgement"]
                log = said["timestamp"], said["state"]
                self.acknowledged[machine].setdefault(fact["id"], Said(at_ms, arrived_ms, log))
            case "operator-assigned":
                said = fact["assignment"]
                log = said["timestamp"], said["state"]
                self.assigned[machine].setdefault(fact["id"], Said(at_ms, arrived_ms, log, said["operator"]))
            case "roster-changed":
                self.rosters[fact["roster"]["factoryId"]] = fact["roster"]
            case "chain-set":
                self.chains[fact["chains"]["factoryId"]] = fact["chains"]["chains"]
            case "equipment-created":
                self.factories[machine] = fact["equipment"]["factoryId"]
            case "call-raised":
                said = fact["call"]
                call = Call(said["id"], machine, said["category"], said["raisedAt"], at_ms, arrived_ms, number)
                self.calls.setdefault(call.id, call)
            case seen if seen in SEEN_CALL:
                self.calls_seen.setdefault(fact["id"], (at_ms, arrived_ms, fact["call"]["id"]))

    def facts(self, end_ms: int) -> Facts:
        return Facts(
            reports={machine: sorted(found.values()) for machine, found in self.reports.items()},
            acknowledged={machine: sorted(found.values()) for machine, found in self.acknowledged.items()},
            assigned={machine: sorted(found.values()) for machine, found in self.assigned.items()},
            calls=[*self.calls.values()],
            calls_seen=[*self.calls_seen.values()],
            factories=self.factories,
            rosters=self.rosters,
            chains=self.chains,
            taken=self.taken,
            recorded=self.recorded,
            recorded_rows=self.recorded_rows,
            end_ms=end_ms,
        )
