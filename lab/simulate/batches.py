"""Batches of what a function receives at so many records a second."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from andon.packages.discovery import follower_of_table, packages
from lab.simulate import limits
from lab.simulate.arrivals import Seconds
from lab.simulate.capacity import shards
from lab.simulate.model import FleetModel, Work
from lab.simulate.settings import STREAMED, role_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    """A function's way of receiving: so many lanes (shards of a stream, pollers of a queue), `size` messages at most.

    window_s: how long a batch waits for more. at_a_time: how many batches may be under way. together: the records of a
    message, which has several if facts are grouped.
    """

    work: Work
    lanes: int
    at_a_time: int
    size: int
    window_s: float
    together: float = 1

    def messages(self, rate: float) -> float:
        """Return the messages of a batch: the one that it began with, and those that came within the window."""
        return float(np.clip(1 + rate / self.together / self.lanes * self.window_s, 1, self.size))

    def batch(self, rate: float) -> float:
        """Return the records of a batch, at so many a second."""
        return self.messages(rate) * self.together

    def wait_s(self, rate: float) -> float:
        """Return the longest that a record waits for its batch: less than the window where batches fill earlier."""
        alone = rate / self.together / self.lanes
        return min(self.window_s, self.size / alone) if alone > 0 else self.window_s

    @property
    def capacity(self) -> float:
        """The records a second that all lanes together can take."""
        most = self.size * self.together
        return self.at_a_time * most / self.work.duration_ms(most) * 1_000

    def invocations(self, rate: float) -> float:
        """Return the invocations a second."""
        return rate / self.batch(rate) if rate else 0.0

    def concurrency(self, rate: float) -> float:
        """Return the invocations that run at a time."""
        return self.invocations(rate) * self.work.duration_ms(self.batch(rate)) / 1_000


def backlog(came: Seconds, capacity: float) -> Seconds:
    """Return the number that waits at the end of each second, if so many can be taken in each."""
    surplus = np.cumsum(came - capacity)
    return surplus - np.minimum(0, np.minimum.accumulate(surplus))


def of_publisher(model: FleetModel, name: str, rate: float) -> Batched:
    """Return how a function receives that follows a stream, takes messages of things, or is called.

    rate: reports a second.
    """
    work, target, role = model.work(name), model.target, role_of(name)
    if role in STREAMED:
        size, window = target.push_batch if role == "push" else target.publish_batch
        lanes = shards(model, rate)[_table_of(name)]
        poll_s = 1 / limits.STREAM_POLLS_PER_S.value
        return Batched(work=work, lanes=lanes, at_a_time=lanes, size=size, window_s=max(window, poll_s))
    if role == "ingest":
        return of_queue(model, name, target.queue_batch_within(target.publish_batch[1]))
    return Batched(work=work, lanes=1, at_a_time=round(limits.CONCURRENCY.value), size=1, window_s=0)


def of_queue(
    model: FleetModel, name: str, batch: tuple[int, float], *, facts: float = 1, message_bytes: float = 0
) -> Batched:
    """Return the way of receiving of a function that a queue feeds, with so many facts and bytes in a message.

    batch: messages at most, and the seconds to wait for them.
    """
    target, (size, window) = model.target, batch
    return Batched(
        work=model.work(name),
        lanes=min(round(limits.QUEUE_POLLERS.value), target.listeners),
        at_a_time=target.listeners,
        size=min(size, int(limits.PAYLOAD_BYTES.value / max(1.0, message_bytes))),
        window_s=max(window, limits.QUEUE_MS[0].value / 1_000),
        together=facts,
    )


@cache
def _table_of(name: str) -> str:
    """Return the table whose stream a trigger or a push follows."""
    tables = [table for package in packages() for table, schema in package.tables.items() if schema.stream]
    return next(table for table in tables if _follower_of(table) == name)


def _follower_of(table: str) -> str:
    package, role = follower_of_table(table)
    return f"{package.name} {role}"
