"""The work of a report for each function of a deployed stack."""

from collections import defaultdict
from dataclasses import dataclass
from math import ceil
from typing import Final

from andon.cdk.capacity import USED
from andon.cdk.target import AWS, Target
from andon.cdk.throttles import Quotas, Throttle, throttles_of
from andon.packages.package import Package
from andon.testing.memory.meter import TableOrIndex
from bench import prices
from bench.simulate import limits
from bench.simulate.counted import Counted
from bench.simulate.settings import HTTP, POST, PUT, memory_mb, role_of

EQUIPMENT: Final = Package("services", "equipment")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of one function: per record, the requests to AWS; `http`: an API's caller waits for it."""

    name: str
    requests: float
    memory_mb: int
    http: bool = False

    @property
    def share(self) -> float:
        """The share of a processor that the function has."""
        return min(1.0, self.memory_mb / limits.MB_PER_CPU.value)

    def cpu_ms(self, records: float) -> float:
        """Return the CPU of an invocation with so many records, of one of Lambda's processors."""
        own = limits.CPU_PER_INVOCATION_MS.value + records * (
            limits.CPU_PER_RECORD_MS.value + self.requests * limits.CPU_PER_REQUEST_MS.value
        )
        return (own + (limits.CPU_OF_HTTP_MS.value if self.http else 0)) * limits.LAMBDA_SLOWER.value

    def duration_ms(self, records: float) -> float:
        """Return the duration of such an invocation: it has a share of a processor, and waits for AWS."""
        turns = ceil(max(1.0, records * self.requests) / limits.REQUESTS_AT_ONCE.value)
        return self.cpu_ms(records) / self.share + turns * limits.DYNAMODB_MS[0].value


@dataclass(frozen=True, slots=True)
class FleetModel:
    """A deployed stack; `counted`: what reports make it do, `idle`: what it does without one."""

    counted: Counted
    idle: Counted
    target: Target = AWS
    used: float = USED / 100  # of what is provisioned

    @property
    def throttle(self) -> Throttle:
        """The API's throttle of requests that bring reports."""
        reports, quotas = self.target.reports, Quotas.of(prices.REGION)
        return throttles_of(EQUIPMENT, reports=reports, quotas=quotas)[POST if self.counted.fleet.batched else PUT]

    def requests(self, name: str) -> float:
        """Return the requests to AWS that a report makes of a function."""
        used = self.counted.used[name].requests.total()
        without = self.idle.used[name].requests.total() if name in self.idle.used else 0
        return max(0.0, used - without) / self.counted.reports

    def records(self, name: str) -> float:
        """Return the records that a report makes for a function."""
        return sum(self.counted.calls[name].records) / self.counted.reports

    def work(self, name: str) -> Work:
        """Return the work of a function for each record."""
        records = max(self.records(name), 1e-9)
        http = role_of(name) in HTTP
        return Work(name=name, requests=self.requests(name) / records, memory_mb=memory_mb(name), http=http)

    def write_units(self) -> dict[TableOrIndex, float]:
        """Return the write units of a report, by place."""
        units: dict[TableOrIndex, float] = defaultdict(float)
        for used in self.counted.used.values():
            for (place, _), count in used.writes.items():
                units[place] += count / self.counted.reports
        return units

    def read_units(self) -> dict[TableOrIndex, float]:
        """Return the read units of a report, by place."""
        units: dict[TableOrIndex, float] = defaultdict(float)
        for counted, sign in ((self.counted, 1), (self.idle, -1)):
            for used in counted.used.values():
                for place, count in used.read_units.items():
                    units[place] += sign * count / self.counted.reports
        return units
