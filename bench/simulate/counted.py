"""Counts of a few machines' reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from andon.testing.memory.meter import Used
from bench.simulate.metrics import Metric

EVERY_S: Final = 300


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
class Calls:
    """The invocations of one function: how many records each had, and how many bytes it logged."""

    records: list[int] = field(default_factory=list)
    log_bytes: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counted:
    """The counts of so many reports; by function, as `board listener`."""

    fleet: Fleet
    reports: int
    used: Mapping[str, Used]
    calls: Mapping[str, Calls]
    published: Mapping[str, int]  # messages by the package that subscribes; "lake" gets all
    late_ms: Mapping[str, Sequence[int]]
    row_bytes: Mapping[str, float]  # that a report leaves in each table, its indexes with it
    metrics: frozenset[Metric]

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
