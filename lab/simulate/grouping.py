"""Entries of the bus and messages of queues at a rate: what a function has in hand is cut as it cuts its facts."""

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, floor
from typing import Final, NamedTuple

from andon.events import group
from andon.project import project
from lab.simulate.batches import of_publisher
from lab.simulate.counted import SentFact
from lab.simulate.model import FleetModel
from lab.simulate.settings import role_of

LAKE: Final = "lake"
"""The package that gets all facts."""

ENVELOPE_BYTES: Final = 250  # that the bus adds to a detail: docs/benchmarks.md


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
    reports = model.counted.reports
    return tuple(
        Publisher(name, source, len(facts) / reports, cut(facts, _in_hand(model, name, rate), source))
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
    return facts / sum(calls) * of_publisher(model, name, rate).batch(rate * model.records(name))
