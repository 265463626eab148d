"""What was counted while a few machines reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from andon.testing.memory.meter import Used
from bench.simulate.fleet import Fleet
from bench.simulate.metrics import Metric


@dataclass(slots=True)
class Calls:
    """The invocations of one function: how many records each had, and how many bytes it logged."""

    records: list[int] = field(default_factory=list)
    log_bytes: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted while so many reports were made; by function, as `board listener`."""

    fleet: Fleet
    reports: int
    used: Mapping[str, Used]
    calls: Mapping[str, Calls]
    published: Mapping[str, int]  # messages by the package that subscribes; "lake" gets all
    late_ms: Mapping[str, Sequence[int]]
    decided: Mapping[str, int]
    row_bytes: Mapping[str, float]  # that a report leaves in each table, its indexes with it
    metrics: frozenset[Metric]

    @property
    def requests(self) -> float:
        """The requests to the API that a report is."""
        return len(self.calls["equipment command"].records) / self.reports

    @property
    def write_units(self) -> dict[str, float]:
        """The write units of a report, by function."""
        return {name: used.write_units / self.reports for name, used in self.used.items() if used.write_units}
