"""The work of a report for each function of a deployed stack."""

from collections import defaultdict
from dataclasses import dataclass
from math import ceil

from andon.cdk.capacity import USED
from andon.cdk.target import AWS, Target
from andon.cdk.throttles import Quotas, Throttle, throttles_of
from andon.testing.memory.meter import TableOrIndex, Used
from lab import prices
from lab.simulate import limits
from lab.simulate.counted import Counted, Way
from lab.simulate.settings import EQUIPMENT, HTTP, POST, PUT, memory_mb, role_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The work of one function: per record, the requests to AWS; `http`: an API's caller waits for it.

    published: facts for a record, all of which an invocation brings to the bus at once.
    """

    name: str
    requests: float
    memory_mb: int
    http: bool = False
    published: float = 0

    @property
    def share(self) -> float:
        """The share of a processor that the function has."""
        return min(1.0, self.memory_mb / limits.MB_PER_CPU.value)

    def puts(self, records: float) -> float:
        """Return the requests to the bus of an invocation with so many records."""
        return min(1.0, records * self.published)

    def cpu_ms(self, records: float) -> float:
        """Return the CPU of an invocation with so many records, of one of Lambda's processors."""
        requests = records * self.requests + self.puts(records)
        own = limits.CPU_PER_INVOCATION_MS.value + records * limits.CPU_PER_RECORD_MS.value
        own += requests * limits.CPU_PER_REQUEST_MS.value
        return (own + (limits.CPU_OF_HTTP_MS.value if self.http else 0)) * limits.LAMBDA_SLOWER.value

    def duration_ms(self, records: float) -> float:
        """Return the duration of such an invocation: it has a share of a processor, and waits for AWS."""
        return self.before_puts_ms(records) + self.puts(records) * limits.PUT_EVENTS_MS[0].value

    def before_puts_ms(self, records: float) -> float:
        """Return the duration without the wait for the bus."""
        turns = ceil(max(1.0, records * self.requests) / limits.REQUESTS_AT_ONCE.value)
        return self.cpu_ms(records) / self.share + turns * limits.DYNAMODB_MS[0].value


@dataclass(frozen=True, slots=True, eq=False)
class FleetModel:
    """A deployed stack; `counted`: what reports make it do, `idle`: what it does without one. Equal to itself alone.

    used: of what is provisioned. received: messages that a queue hands over at once.
    """

    counted: Counted
    idle: Counted
    target: Target = AWS
    used: float = USED / 100
    received: float = limits.RECEIVED_AT_ONCE.value

    @property
    def throttle(self) -> Throttle:
        """The API's throttle of requests that bring reports."""
        reports, quotas = self.target.reports, Quotas.of(prices.REGION)
        return throttles_of(EQUIPMENT, reports=reports, quotas=quotas)[
            POST if self.counted.fleet.way == Way.POST else PUT
        ]

    def requests(self, name: str) -> float:
        """Return the requests to AWS that a report makes of a function, those to the bus aside."""
        used, without = (_asked(one.used[name]) if name in one.used else 0 for one in (self.counted, self.idle))
        return max(0.0, used - without) / self.counted.reports

    def records(self, name: str) -> float:
        """Return the records that a report makes for a function."""
        return sum(self.counted.calls[name].records) / self.counted.reports

    def work(self, name: str) -> Work:
        """Return the work of a function for each record."""
        records = max(self.records(name), 1e-9)
        facts = sum(len(facts) for (of, _), facts in self.counted.facts.items() if of == name) / self.counted.reports
        return Work(
            name=name,
            requests=self.requests(name) / records,
            memory_mb=memory_mb(name),
            http=role_of(name) in HTTP,
            published=facts / records,
        )

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


def _asked(used: Used) -> int:
    return used.requests.total() - used.requests["PutEvents"]
