"""What a report makes each function of a deployed stack do."""

from collections import defaultdict
from dataclasses import dataclass

from andon.cdk.throttles import Throttle
from andon.testing.memory.meter import Place
from bench.simulate.counted import Counted
from bench.simulate.settings import HTTP, Settings, memory_mb, role_of
from bench.simulate.steps import Work


@dataclass(frozen=True, slots=True)
class Model:
    """A deployed stack; `counted`: what reports make it do, `idle`: what it does without one."""

    counted: Counted
    idle: Counted
    settings: Settings

    @property
    def throttle(self) -> Throttle:
        """How many requests the API takes of those that bring reports."""
        return self.settings.batches if self.counted.fleet.batched else self.settings.single

    def requests(self, name: str) -> float:
        """Return the requests to AWS that a report makes of a function."""
        used = self.counted.used[name].requests.total()
        without = self.idle.used[name].requests.total() if name in self.idle.used else 0
        return max(0.0, used - without) / self.counted.reports

    def records(self, name: str) -> float:
        """Return the records that a report makes for a function."""
        return sum(self.counted.calls[name].records) / self.counted.reports

    def work(self, name: str) -> Work:
        """Return what a function does for each record."""
        records = max(self.records(name), 1e-9)
        http = role_of(name) in HTTP
        return Work(name=name, requests=self.requests(name) / records, memory_mb=memory_mb(name), http=http)

    def write_units(self) -> dict[Place, float]:
        """Return the write units of a report, by place."""
        units: dict[Place, float] = defaultdict(float)
        for used in self.counted.used.values():
            for (place, _), count in used.writes.items():
                units[place] += count / self.counted.reports
        return units

    def read_units(self) -> dict[Place, float]:
        """Return the read units of a report, by place."""
        units: dict[Place, float] = defaultdict(float)
        for counted, sign in ((self.counted, 1), (self.idle, -1)):
            for used in counted.used.values():
                for place, count in used.read_units.items():
                    units[place] += sign * count / self.counted.reports
        return units
