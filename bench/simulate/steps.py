"""What a report passes on its way: batches, invocations and queues in front of them."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from bench.simulate import limits
from bench.simulate.arrivals import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one function does: per record, the requests to AWS; `http`: an API's caller waits for it."""

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
        """Return how long such an invocation takes: it has a share of a processor, and waits for AWS."""
        turns = ceil(max(1.0, records * self.requests) / limits.REQUESTS_AT_ONCE.value)
        return self.cpu_ms(records) / self.share + turns * limits.DYNAMODB_MS[0].value


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    """How records reach a function: by so many lanes (shards of a stream, pollers of a queue), at most `size` at once.

    window_s: how long a batch waits for more. at_a_time: how many batches may be under way.
    """

    work: Work
    lanes: int
    at_a_time: int
    size: int
    window_s: float

    def batch(self, rate: float) -> float:
        """Return how many records a batch has: the one that it began with, and those that came within the window."""
        return float(np.clip(1 + rate / self.lanes * self.window_s, 1, self.size))

    def wait_s(self, rate: float) -> float:
        """Return the longest that a record waits for its batch: less than the window where batches fill earlier."""
        alone = rate / self.lanes
        return min(self.window_s, self.size / alone) if alone > 0 else self.window_s

    @property
    def capacity(self) -> float:
        """The records a second that all lanes together can take."""
        return self.at_a_time * self.size / self.work.duration_ms(self.size) * 1_000

    def invocations(self, rate: float) -> float:
        """Return the invocations a second."""
        return rate / self.batch(rate) if rate else 0.0

    def concurrency(self, rate: float) -> float:
        """Return how many run at a time."""
        return self.invocations(rate) * self.work.duration_ms(self.batch(rate)) / 1_000


def backlog(came: Seconds, capacity: float) -> Seconds:
    """Return what waits at the end of each second, if so many can be taken in each."""
    surplus = np.cumsum(came - capacity)
    return surplus - np.minimum(0, np.minimum.accumulate(surplus))
