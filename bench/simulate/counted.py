"""Counts of a few machines' reports, and the metrics of our own that a stage pays for.

A name by a view, or by a service, is one metric, whatever its values are. What the sampled functions write is counted
from their lines, in an hour in which machines report; what others write is declared beside what writes it. A metric is
paid for by the hour in which it has values, so that what is seldom written is left out: what an edit, a replay, an
error, a message to a person or a model that cannot be read adds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from andon.drift import recompute
from andon.packages.discovery import recomputed
from andon.stores.archive import sweep_days
from andon.stores.lake import batch
from andon.testing.memory.meter import Used

EVERY_S: Final = 300


class PackageMetric(NamedTuple):
    """A name by the `view` or the `service` of a package; every stage has its own."""

    dimension: str
    package: str
    name: str


UNSAMPLED: Final = frozenset(
    PackageMetric("view", package, name)
    for package, names in (
        ("lake", batch.COUNTS),
        ("archive", sweep_days.COUNTS),
        *((view.name, recompute.COUNTS) for view in recomputed()),
    )
    for name in names
)
"""Metrics of functions that run all the time, but not in the sample."""

FILTERS: Final = 1
"""So many metrics are counted from other logs, see `library/andon/cdk/api.py`."""


def metrics_in(line: str, package: str) -> Iterator[PackageMetric]:
    """Yield what CloudWatch reads from a line of a package's function."""
    if '"_aws"' not in line:
        return
    for directive in json.loads(line)["_aws"]["CloudWatchMetrics"]:
        for dimension, _ in directive["Dimensions"]:
            for metric in directive["Metrics"]:
                yield PackageMetric(dimension, package, metric["Name"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Machines and their way of reporting. abnormal: the share of reports that are not NORMAL.

    batched: a gateway posts the reports of all of them at once; else each machine reports at a time of its own.
    """

    machines: int = 40
    seconds: int = 3_600
    abnormal: float = 0.0
    batched: bool = False


@dataclass(slots=True)
class FunctionCalls:
    """The invocations of one function: how many records each had, and how many bytes it logged."""

    records: list[int] = field(default_factory=list)
    log_bytes: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of so many reports; by function, as `board listener`."""

    fleet: Fleet
    reports: int
    used: Mapping[str, Used]
    calls: Mapping[str, FunctionCalls]
    published: Mapping[str, int]  # messages by the package that subscribes; "lake" gets all
    late_ms: Mapping[str, Sequence[int]]
    row_bytes: Mapping[str, float]  # that a report leaves in each table, its indexes with it
    metrics: frozenset[PackageMetric]

    @property
    def requests(self) -> float:
        """The requests to the API that a report is."""
        return len(self.calls["equipment command"].records) / self.reports

    @property
    def messages(self) -> float:
        """The messages in queues that a report becomes."""
        return sum(self.published.values()) / self.reports

    @property
    def write_units(self) -> dict[str, float]:
        """The write units of a report, by function."""
        return {name: used.write_units / self.reports for name, used in self.used.items() if used.write_units}

    def each(self, member: str) -> float:
        """Return the sum of a member over all functions, for a report: `entries`, `entry_bytes`."""
        return float(sum(getattr(used, member) for used in self.used.values())) / self.reports
