"""Made-up maintenance of a machine: orders of each kind, again and again, planned, mostly started, and finished."""

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from andon.runtime import times
from andon.runtime.clock import DAY_MS, HOUR_MS, MINUTE_MS
from contract.entities.maintenance import OrderEntity, Result
from demo.lake.envelopes import LakeEnvelope, Writer

PLANNED_AHEAD_MS: Final = 18 * HOUR_MS
MOVED_SHARE: Final = 0.15
SKIPPED_SHARE: Final = 0.1
PARTLY_SHARE: Final = 0.12


class Routine(NamedTuple):
    """A kind of maintenance: due every `each_days`, expected to take `minutes`."""

    kind: str
    each_days: int
    minutes: int


ROUTINES: Final = (Routine("cleaning", 2, 20), Routine("inspection", 3, 35), Routine("lubrication", 4, 60))


class People(NamedTuple):
    """The subjects of who plans orders, and of who does them."""

    planner: str
    maintainer: str


def orders(
    machine: str, factory: str, routine: Routine, *, people: People, start_ms: int, rng: Random
) -> Iterator[LakeEnvelope]:
    """Yield the events of one machine's orders of a kind for ever, in the order of time."""
    write = Writer(rng)
    midnight_ms = start_ms - start_ms % DAY_MS + (1 + rng.randrange(routine.each_days)) * DAY_MS
    while True:
        yield from _order(machine, factory, routine, people=people, midnight_ms=midnight_ms, write=write, rng=rng)
        midnight_ms += routine.each_days * DAY_MS


def _order(
    machine: str, factory: str, routine: Routine, *, people: People, midnight_ms: int, write: Writer, rng: Random
) -> Iterator[LakeEnvelope]:
    """Yield the events of one order, planned for the day of a midnight (UTC), or moved to the day after it."""
    old = None
    for order, at_ms, actor in _versions(machine, factory, routine, people=people, midnight_ms=midnight_ms, rng=rng):
        written = write.ordered(order, at_ms=at_ms, actor=actor, old=old)
        old = written["detail"]["raw"]["new"]
        yield written


def _versions(
    machine: str, factory: str, routine: Routine, *, people: People, midnight_ms: int, rng: Random
) -> Iterator[tuple[OrderEntity, int, str]]:
    """Yield the versions of an order, each with its time (epoch milliseconds) and who made it."""
    planned_ms = midnight_ms - PLANNED_AHEAD_MS + rng.randrange(2 * HOUR_MS)
    order = OrderEntity(
        equipmentId=machine,
        date=_day(midnight_ms),
        kind=routine.kind,
        version=1,
        factoryId=factory,
        plannedFor=_day(midnight_ms),
        minutes=routine.minutes,
        status="planned",
    )
    yield order, planned_ms, people.planner
    if rng.random() < MOVED_SHARE:
        midnight_ms += DAY_MS
        order = {**order, "version": 2, "plannedFor": _day(midnight_ms)}
        yield order, planned_ms + 3 * HOUR_MS, people.planner
    began_ms = midnight_ms + int(rng.uniform(6, 23.8) * HOUR_MS)
    if rng.random() < SKIPPED_SHARE:
        yield _finished(order, "skipped", began_ms), began_ms, people.planner
        return
    order = {**order, "version": order["version"] + 1, "status": "started", "startedAt": times.to_utc(began_ms)}
    yield order, began_ms, people.maintainer
    ended_ms = began_ms + int(routine.minutes * MINUTE_MS * rng.lognormvariate(0.1, 0.35)) + MINUTE_MS
    yield _finished(order, "partly" if rng.random() < PARTLY_SHARE else "done", ended_ms), ended_ms, people.maintainer


def _finished(order: OrderEntity, result: Result, ended_ms: int) -> OrderEntity:
    finished_at = times.to_utc(ended_ms)
    return {**order, "version": order["version"] + 1, "status": "finished", "result": result, "finishedAt": finished_at}


def _day(ms: int) -> str:
    return times.to_utc(ms)[:10]
