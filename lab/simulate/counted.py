"""Counts of a few machines' reports, and the metrics of our own that a stage pays for.

A name by a view, or by a service, is one metric, whatever its values are. It is counted from functions' lines, in an
hour in which machines report, and in one in which nothing happens. A metric is paid for by the hour in which it has
values, so that what is seldom written is left out: what trouble adds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from andon.runtime.metrics import STAGE
from andon.testing.memory.meter import Used
from contract.entities.reports import REPORTS_AT_ONCE

EVERY_S: Final = 300


class Way(StrEnum):
    """A machine's way to report: a request of its own, 100 of them at once by a gateway, or a message over MQTT."""

    PUT = "a PUT each"
    POST = "POST of 100"
    MQTT = "MQTT each"


class PackageMetric(NamedTuple):
    """A name by the `view` or the `service` of a package, or by neither; every stage has its own."""

    dimension: str
    package: str
    name: str


def metrics_in(line: str, package: str) -> Iterator[PackageMetric]:
    """Yield what CloudWatch reads from a line of a package's function."""
    if '"_aws"' not in line:
        return
    for directive in json.loads(line)["_aws"]["CloudWatchMetrics"]:
        for own in ([name for name in one if name != STAGE] for one in directive["Dimensions"]):
            for metric in directive["Metrics"]:
                yield PackageMetric(own[0] if own else "", package if own else "", metric["Name"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Machines and their way to report. abnormal: the share of reports that are not NORMAL.

    A gateway posts the reports of all of them at once; else each machine reports at a time of its own.
    """

    machines: int = 40
    seconds: int = 3_600
    abnormal: float = 0.0
    way: Way = Way.PUT


def fleet_of(way: Way, *, abnormal: float = 0.0) -> Fleet:
    """Return the fleet that is counted for a way to report; a gateway's is as many machines as it may post at once."""
    machines = {"machines": REPORTS_AT_ONCE} if way == Way.POST else {}
    return Fleet(way=way, abnormal=abnormal, **machines)


@dataclass(slots=True)
class FunctionCalls:
    """The invocations of one function: how many records each had, and how many bytes it logged."""

    records: list[int] = field(default_factory=list)
    log_bytes: list[int] = field(default_factory=list)


class ScreenRead(NamedTuple):
    """What a screen's read of a board takes for each machine on it: read units, bytes of the response."""

    read_units: float
    response_bytes: float


NO_SCREEN: Final = ScreenRead(0, 0)


class SentFact(NamedTuple):
    """A fact that a function published: its type, and the bytes of its JSON."""

    type: str
    size: int


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of so many reports; by function, as `board listener`.

    facts: in the order in which a function published them, by the source that it publishes for. published: facts that
    a package gets, by their source and its name; "lake" gets all. queued: messages of other queues, by their names.
    """

    fleet: Fleet
    reports: int
    used: Mapping[str, Used]
    calls: Mapping[str, FunctionCalls]
    facts: Mapping[tuple[str, str], tuple[SentFact, ...]]
    published: Mapping[tuple[str, str], int]
    queued: Mapping[str, int]
    late_ms: Mapping[str, Sequence[int]]
    row_bytes: Mapping[str, float]  # that a report leaves in each table, its indexes with it
    metrics: frozenset[PackageMetric]
    response_bytes: float  # of the API, that a report is answered with
    pushed: float  # messages to screens that a report makes, of up to 5 KB each
    screen: ScreenRead = NO_SCREEN

    @property
    def requests(self) -> float:
        """The requests to the API that a report is."""
        calls = self.calls.get("equipment command")
        return len(calls.records) / self.reports if calls else 0.0

    @property
    def write_units(self) -> dict[str, float]:
        """The write units of a report, by function."""
        return {name: used.write_units / self.reports for name, used in self.used.items() if used.write_units}

    @property
    def fact_bytes(self) -> float:
        """The bytes of the facts of a report."""
        return sum(fact.size for facts in self.facts.values() for fact in facts) / self.reports

    def facts_to(self, package: str) -> float:
        """Return the facts of a report that a package gets."""
        return sum(count for (_, to), count in self.published.items() if to == package) / self.reports
