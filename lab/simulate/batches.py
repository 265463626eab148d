"""Fullness of calls at so many reports a second: batches of functions, entries of the bus, requests to queues.

What a function has in hand is cut into entries as it cuts its facts. A request to a queue counts once for each 64 KB:
one sends a message, some receive and delete several, and some find none. A poller asks for messages, and waits 20 s at
most; it gets as many at once as the model says, of which nobody knows the mean: ten at most, and one where messages
come apart.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, expm1, floor
from typing import Final, NamedTuple

import numpy as np

from andon.events import group
from andon.packages.discovery import follower_of_table, packages
from andon.project import project
from lab.simulate import limits
from lab.simulate.counted import SentFact
from lab.simulate.model import FleetModel, Work, role_of

LAKE: Final = "lake"
"""The package that gets all facts."""

ENVELOPE_BYTES: Final = 250  # that the bus adds to a detail: docs/benchmarks.md
RULE_BYTES: Final = 1_024  # of a message of a thing, as its rule writes it

BUSY: Final = 50.0
"""So many messages are expected while a poller would wait that it never waits in vain."""


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

    def batch(self, rate: float) -> float:
        """Return the records of a batch, at so many a second: those that it began with, and that came meanwhile."""
        messages = 1 + rate / self.together / self.lanes * self.window_s
        return float(np.clip(messages, 1, self.size)) * self.together

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


def batched(model: FleetModel, name: str, rate: float) -> Batched:
    """Return a function's way of receiving, at so many reports a second."""
    package, _, role = name.rpartition(" ")
    if role != "listener":
        return _of_publisher(model, name, rate)
    message = message_to(model, package, rate)
    fitting = int(limits.PAYLOAD_BYTES / (message.size + ENVELOPE_BYTES))
    size, window = model.target.queue_batch
    return _of_queue(model, name, (min(size, fitting), window), facts=message.facts)


def _of_publisher(model: FleetModel, name: str, rate: float) -> Batched:
    """Return how a function receives that follows a stream, takes messages of things, or is called."""
    work, target, role = model.work(name), model.target, role_of(name)
    if role in {"trigger", "push"}:
        size, window = target.push_batch if role == "push" else target.publish_batch
        lanes = model.shards(rate)[_table_of(name)]
        poll_s = 1 / limits.STREAM_POLLS_PER_S
        return Batched(work=work, lanes=lanes, at_a_time=lanes, size=size, window_s=max(window, poll_s))
    if role == "ingest":
        return _of_queue(model, name, target.queue_batch_within(target.publish_batch[1]))
    return Batched(work=work, lanes=1, at_a_time=round(limits.CONCURRENCY), size=1, window_s=0)


def _of_queue(model: FleetModel, name: str, batch: tuple[int, float], *, facts: float = 1) -> Batched:
    """Return how a function receives that a queue feeds; batch: messages at most, and seconds to wait for them."""
    most, (size, window) = model.target.listeners, batch
    window_s = max(window, limits.QUEUE_MS[0] / 1_000)
    lanes = min(round(limits.QUEUE_POLLERS), most)
    return Batched(work=model.work(name), lanes=lanes, at_a_time=most, size=size, window_s=window_s, together=facts)


@cache
def _table_of(name: str) -> str:
    """Return the table whose stream a trigger or a push follows."""
    tables = [table for package in packages() for table, schema in package.tables.items() if schema.stream]
    followers = {table: follower_of_table(table) for table in tables}
    return next(table for table, (package, role) in followers.items() if f"{package.name} {role}" == name)


class Cut(NamedTuple):
    """The facts of an entry, and the bytes of its detail, on average."""

    facts: float
    size: float


class Publisher(NamedTuple):
    """A function that publishes so many facts of a report for a source, and its cut of them."""

    name: str
    source: str
    facts: float
    cut: Cut


@lru_cache
def publishers(model: FleetModel, rate: float) -> tuple[Publisher, ...]:
    """Return the functions that publish, at so many reports a second."""
    return tuple(
        Publisher(name, source, len(facts) / model.counted.reports, cut(facts, _in_hand(model, name, rate), source))
        for (name, source), facts in model.counted.facts.items()
    )


@lru_cache
def message_to(model: FleetModel, package: str, rate: float) -> Cut:
    """Return the cut of the messages that a package gets."""
    sent = publishers(model, rate)
    counts = {source: count for (source, to), count in model.counted.published.items() if to == package}
    cuts = {of: _together((one.facts, one.cut) for one in sent if one.source == of) for of in counts}
    return _together((count, cuts[of]) for of, count in counts.items())


def cut(facts: tuple[SentFact, ...], in_hand: float, source: str) -> Cut:
    """Return how a function cuts its facts, if it has so many of them in hand each time.

    Between two whole numbers it has now the one, now the other.
    """
    fewer = max(1, floor(in_hand))
    more = max(0.0, in_hand - fewer)
    calls = {fewer: 1 - more, fewer + 1: more} if more else {fewer: 1.0}
    sent = sum(share * number for number, share in calls.items())
    entries = sum(share * number * _entries_of_a_fact(facts, number, source) for number, share in calls.items())
    return Cut(sent / entries, sent / entries * sum(fact.size for fact in facts) / len(facts))


@lru_cache
def _entries_of_a_fact(facts: tuple[SentFact, ...], in_hand: int, source: str) -> float:
    calls = ceil(len(facts) / in_hand)
    of_calls = [[facts[(call * in_hand + number) % len(facts)] for number in range(in_hand)] for call in range(calls)]
    types_and_sizes = (([one.type for one in some], [one.size for one in some]) for some in of_calls)
    entries = sum(len(group.cut(types, sizes, source=source)) for types, sizes in types_and_sizes)
    return entries / (calls * in_hand)


def _together(cuts: Iterable[tuple[float, Cut]]) -> Cut:
    """Return the average cut of so many facts each."""
    sent = [(facts, facts / one.facts, one.size) for facts, one in cuts]
    entries = sum(count for _, count, _ in sent)
    return Cut(sum(facts for facts, _, _ in sent) / entries, sum(count * size for _, count, size in sent) / entries)


def _in_hand(model: FleetModel, name: str, rate: float) -> float:
    """Return the facts that an invocation publishes, of which several may share an entry."""
    if not project().grouped:
        return 1.0
    facts = sum(len(sent) for (of, _), sent in model.counted.facts.items() if of == name)
    calls = model.counted.calls[name].records
    if role_of(name) in {"command", "sweep"}:
        return facts / len(calls)
    return facts / sum(calls) * _of_publisher(model, name, rate).batch(rate * model.records(name))


def queue_requests(model: FleetModel, rate: float) -> float:
    """Return the requests to queues for the messages that a report makes."""
    sizes = {package: message_to(model, package, rate).size for package in model.counted.subscribers}
    counts = messages_to_queues(model, rate).items()
    return sum(count * message_requests(model, sizes.get(name, RULE_BYTES)) for name, count in counts)


def message_requests(model: FleetModel, size: float) -> float:
    """Return the requests for a message, whose detail has so many bytes."""
    size += ENVELOPE_BYTES
    sent, received = (ceil(some / limits.BILLED_BYTES) for some in (size, size * model.received))
    return sent + received / model.received + 1 / model.received


def messages_to_queues(model: FleetModel, rate: float) -> dict[str, float]:
    """Return the messages of a report in each queue."""
    counted = model.counted
    from_bus = {name: counted.facts_to(name) / message_to(model, name, rate).facts for name in counted.subscribers}
    return from_bus | {name: count / counted.reports for name, count in counted.queued.items()}


def requests_in_vain(model: FleetModel, rate: float, *, queues: int) -> float:
    """Return the requests a second that find no message, of so many queues with a poller's function."""
    busy = [one * rate / model.received for one in messages_to_queues(model, rate).values()] if rate else []
    return sum(map(_in_vain, busy)) + max(0, queues - len(busy)) * _in_vain(0)


def _in_vain(received_per_s: float) -> float:
    """Return the requests a second that find nothing, of a queue: those at whose poller nothing comes in time."""
    pollers, wait_s = limits.QUEUE_POLLERS, limits.LONGEST_POLL_S
    expected = received_per_s / pollers * wait_s
    if expected > BUSY:
        return 0.0
    return pollers / wait_s if expected == 0 else received_per_s / expm1(expected)
