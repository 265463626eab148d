"""Made-up events of a whole company, as the lake keeps them: the same seed makes the same events, in the bus's order.

Machines report every few minutes. Now and then one warns, and some of those stop; the rule `assign` names an operator,
who acknowledges sooner or later, at night and at weekends later; if nobody does in time, the rule `escalate`
goes to the supervisor. Lines differ in how often their machines fail, operators in how fast they are. Maintenance is
planned a day ahead; some of it is moved, or skipped.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from andon.events.domain_event import MAX_TIMESTAMP_MS
from andon.runtime import strict_json, times
from andon.runtime.clock import DAY_MS, HOUR_MS, MINUTE_MS
from andon.stores.lake.batch import objects_of
from contract.entities.equipment import LocationEntity
from demo.lake.envelopes import LakeEnvelope, ReportEntity, Writer, bus_id, bus_time
from demo.lake.maintenance import ROUTINES, People, orders
from demo.people import OLGA, ROSA, SARA
from services.dispatch.rules import escalate

START_MS: Final = times.to_ms("2026-10-05T00:00:00Z")  # a Monday
CITIES: Final = ("gdl", "mty", "qro", "tij", "mid")
SUPERVISORS: Final = (ROSA, SARA, "sv-05")
LATE_SHIFT_HOURS: Final = frozenset({22, 23, 0, 1, 2, 3, 4, 5})
SATURDAY: Final = 5


class SyntheticMachine(NamedTuple):
    """A machine and its habits: reports every `report_ms`, fails every `failure_ms`, takes `repair_ms` to repair."""

    id: str
    factory: str
    line: str
    report_ms: int
    failure_ms: int
    repair_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """The size of a made-up company: factories, lines in each, machines in each line; events begin at `start_ms`."""

    seed: int = 1
    factories: int = 2
    lines: int = 3
    machines: int = 4
    operators: int = 5
    start_ms: int = START_MS

    def all_machines(self) -> list[SyntheticMachine]:
        """Return the machines, line by line."""
        return [
            _machine(self.seed, factory, line, number)
            for factory in range(self.factories)
            for line in range(self.lines)
            for number in range(self.machines)
        ]

    def operators_of(self, factory: str) -> list[str]:
        """Return the operators of a factory, whose badges no other factory has."""
        city, _, number = factory.partition("-")
        return [f"op-{number}{CITIES.index(city)}{operator:02}" for operator in range(self.operators)]


def envelopes(company: Company, count: int) -> Iterator[LakeEnvelope]:
    """Yield the first `count` events of a company, by the bus's time."""
    streams = [stream for machine in company.all_machines() for stream in _streams(company, machine)]
    merged = heapq.merge(*streams, key=lambda envelope: (envelope["time"], envelope["id"]))
    return islice(merged, count)


def lines(company: Company, count: int) -> Iterator[str]:
    """Yield the first `count` events as lines of the lake."""
    return map(strict_json.dumps, envelopes(company, count))


def doubled(made: Iterable[LakeEnvelope], *, share: float, seed: int = 1) -> Iterator[LakeEnvelope]:
    """Yield events, some of them twice, as when a trigger tries again: the same fact in another envelope.

    Half of these come seconds later, the others up to a day, so in another hour or day. All are in the bus's order.
    """
    rng = Random(f"doubled/{seed}")  # noqa: S311  no secret
    again: list[tuple[str, str, LakeEnvelope]] = []  # a heap by time; ids are distinct, so that no envelopes compare
    for envelope in made:
        while again and again[0][0] <= envelope["time"]:
            yield heapq.heappop(again)[-1]
        yield envelope
        if rng.random() < share:
            copy = _again(envelope, rng)
            heapq.heappush(again, (copy["time"], copy["id"], copy))
    while again:
        yield heapq.heappop(again)[-1]


def _again(envelope: LakeEnvelope, rng: Random) -> LakeEnvelope:
    late_ms = rng.randrange(*rng.choice([(1000, MINUTE_MS), (HOUR_MS, DAY_MS)]))
    return {**envelope, "id": bus_id(rng), "time": bus_time(times.to_ms(envelope["time"]) + late_ms)}


def objects(made: Iterable[LakeEnvelope], *, window_s: int = 300, batch: int = 10_000) -> Iterator[tuple[str, bytes]]:
    """Yield key and bytes of the lake's objects, as its listener writes them; see `batches`."""
    for messages in batches(made, window_s=window_s, batch=batch):
        yield from ((one.key, one.body) for one in objects_of(messages, now_ms=MAX_TIMESTAMP_MS))


def batches(
    made: Iterable[LakeEnvelope], *, window_s: int = 300, batch: int = 10_000
) -> Iterator[list[tuple[str, str]]]:
    """Yield the batches of messages `(id, body)` that the lake's listener gets.

    window_s: how long the queue gathers a batch, by the bus's time. batch: how many messages it has at most.
    """
    gathered: list[tuple[str, str]] = []
    ends = ""
    for envelope in made:
        if gathered and (len(gathered) == batch or envelope["time"] >= ends):
            yield gathered
            gathered = []
        if not gathered:
            ends = bus_time(times.to_ms(envelope["time"]) + window_s * 1000)
        gathered.append((envelope["id"], strict_json.dumps(envelope)))
    if gathered:
        yield gathered


def _machine(seed: int, factory: int, line: int, number: int) -> SyntheticMachine:
    place = f"{CITIES[factory % len(CITIES)]}-{factory // len(CITIES) + 1}"
    machine_id = f"press-{place}-{line + 1}-{number + 1}"
    rng = Random(f"{seed}/{machine_id}/habits")  # noqa: S311  no secret
    fragile = 1 + (line * 2 + factory) % 4  # some lines fail more often than others
    return SyntheticMachine(
        id=machine_id,
        factory=place,
        line=f"line-{line + 1}",
        report_ms=rng.randrange(3, 7) * MINUTE_MS,
        failure_ms=int(rng.uniform(16, 40) * HOUR_MS / fragile),
        repair_ms=int(rng.uniform(12, 50) * MINUTE_MS),
    )


def _streams(company: Company, machine: SyntheticMachine) -> Iterator[Iterator[LakeEnvelope]]:
    """Yield the machine's own events, and those of its orders of each kind, each with dice of its own."""
    yield _life(company, machine)
    life = _Life(company, machine, Random(machine.id))  # noqa: S311  no secret
    for routine in ROUTINES:
        rng = Random(f"{company.seed}/{machine.id}/{routine.kind}")  # noqa: S311  no secret
        yield orders(
            machine.id, machine.factory, routine, people=life.maintainers(), start_ms=company.start_ms, rng=rng
        )


def _life(company: Company, machine: SyntheticMachine) -> Iterator[LakeEnvelope]:
    """Yield the events of one machine for ever, by the bus's time."""
    rng = Random(f"{company.seed}/{machine.id}")  # noqa: S311  no secret
    life = _Life(company, machine, rng)
    now_ms = company.start_ms + rng.randrange(machine.report_ms)
    yield from life.registrations(now_ms)
    now_ms += 20_000
    while True:
        until_ms = now_ms + int(rng.expovariate(1 / machine.failure_ms))
        while now_ms < until_ms:
            yield life.report("NORMAL", now_ms)
            now_ms += int(machine.report_ms * rng.lognormvariate(0, 0.15))
        episode, now_ms = life.episode(now_ms)
        yield from sorted(episode, key=lambda envelope: (envelope["time"], envelope["id"]))
        now_ms += 10_000  # no event of the episode comes behind the next report


class _Life:
    """The events of one machine."""

    def __init__(self, company: Company, machine: SyntheticMachine, rng: Random) -> None:
        self._machine, self._rng, self._write = machine, rng, Writer(rng)
        self._operators = company.operators_of(machine.factory)
        self._supervisor = supervisor_of(machine.factory)
        self._device = subject_of(machine.id)

    def registrations(self, now_ms: int) -> Iterator[LakeEnvelope]:
        """Register the machine; one in eight was on another line before."""
        write, machine, admin = self._write, self._machine, subject_of("admin")
        location = location_of(machine.factory)
        moves = self._rng.random() < 1 / 8
        first_line = "line-0" if moves else machine.line
        created = write.registered(
            machine.id, factory=machine.factory, line=first_line, location=location, at_ms=now_ms, actor=admin
        )
        yield created
        if moves:
            yield write.registered(
                machine.id,
                factory=machine.factory,
                line=machine.line,
                location=location,
                at_ms=now_ms + 5000,
                actor=admin,
                old=created["detail"]["raw"]["new"],
            )
        yield write.audited(machine.id, revision=1, at_ms=now_ms + 10_000, actor=subject_of(OLGA))

    def report(self, state: str, at_ms: int) -> LakeEnvelope:
        """Report a state; what is not normal has a detail."""
        degrees = self._rng.randrange(78, 99)
        detail = None if state == "NORMAL" else f"oil at {degrees} °C"
        return self._write.reported(self._log(state, at_ms), actor=self._device, detail=detail)

    def episode(self, began_ms: int) -> tuple[list[LakeEnvelope], int]:
        """Return the events from the first warning until the machine runs again, and the time of its end."""
        rng, machine = self._rng, self._machine
        warned_ms = int(rng.uniform(4, 25) * MINUTE_MS)
        stops = rng.random() < 0.6  # noqa: PLR2004
        stopped_ms = began_ms + warned_ms
        over_ms = stopped_ms + (int(machine.repair_ms * rng.lognormvariate(0, 0.5)) + MINUTE_MS if stops else 0)
        found = [
            *self._reports("WARNING1", began_ms, min(stopped_ms, began_ms + 10 * MINUTE_MS)),
            *self._reports("WARNING2", began_ms + 10 * MINUTE_MS, stopped_ms),
            *(self._reports("ERROR", stopped_ms, over_ms) if stops else ()),
        ]
        first = self._log("WARNING1", began_ms)
        if stops:
            since = times.to_utc(began_ms)
            found.append(self._write.at_risk(machine.id, since=since, at_ms=stopped_ms, reason="ERROR after WARNING"))
        found += self._answers(first, began_ms, over_ms, [one for one in found if "state" in one["detail"]])
        return found, over_ms

    def _reports(self, state: str, from_ms: int, to_ms: int) -> Iterator[LakeEnvelope]:
        """Report a state while it lasts, and let the rule assign an operator to each report."""
        now_ms = from_ms
        while now_ms < to_ms:
            yield self.report(state, now_ms)
            yield self._write.assigned(self._log(state, now_ms), self._operator(), at_ms=now_ms, actor="rule:assign")
            now_ms += int(self._machine.report_ms * self._rng.lognormvariate(0, 0.15) / 2)

    def _answers(
        self, first: ReportEntity, began_ms: int, over_ms: int, reports: Sequence[LakeEnvelope]
    ) -> Iterator[LakeEnvelope]:
        """Let people answer the first warning; what would come after the machine runs again does not happen."""
        acknowledged_ms = began_ms + self._response_ms(began_ms)
        escalated_ms = began_ms + escalate.AFTER_MS
        operator = self._operator()
        if acknowledged_ms < over_ms:
            yield self._write.acknowledged(first, at_ms=acknowledged_ms, actor=subject_of(operator))
            if self._rng.random() < 0.1:  # noqa: PLR2004
                yield self._reassigned(first, began_ms, acknowledged_ms + 1000)
        if escalated_ms < min(acknowledged_ms, over_ms):
            known = [report for report in reports if report["detail"]["timestamp"] <= escalated_ms]
            triggers = known if len(known) == 1 else [known[0], known[-1]]
            yield self._write.escalated(
                first, self._supervisor, at_ms=escalated_ms, actor="rule:escalate", triggers=triggers
            )

    def _reassigned(self, log: ReportEntity, assigned_ms: int, at_ms: int) -> LakeEnvelope:
        """Name somebody else by hand: the event has the row that the rule wrote as its old image."""
        before = self._write.assigned(log, self._operator(), at_ms=assigned_ms, actor="rule:assign")
        other = self._rng.choice(self._operators)
        old = before["detail"]["raw"]["new"]
        return self._write.assigned(log, other, at_ms=at_ms, actor=subject_of(self._supervisor), old=old)

    def _response_ms(self, at_ms: int) -> int:
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
        slower = 2.5 if moment.hour in LATE_SHIFT_HOURS or moment.weekday() >= SATURDAY else 1
        pace = 3 + 2 * (self._operators.index(self._operator()) % 4)  # minutes
        return int(slower * pace * MINUTE_MS * self._rng.lognormvariate(0, 0.6))

    def maintainers(self) -> People:
        """Return the planner and the maintainer of its maintenance."""
        return People(planner=subject_of(self._supervisor), maintainer=subject_of(self._operator()))

    def _operator(self) -> str:
        """Return the operator that the rule `assign` names: for one machine always the same."""
        return self._operators[sum(map(ord, self._machine.id)) % len(self._operators)]

    def _log(self, state: str, at_ms: int) -> ReportEntity:
        return {"equipmentId": self._machine.id, "state": state, "timestamp": times.to_utc(at_ms)}


def subject_of(person: str) -> str:
    """Return the subject of a person's or a device's token."""
    return bus_id(Random(f"subject/{person}"))  # noqa: S311  no secret


def supervisor_of(factory: str) -> str:
    """Return the supervisor of a factory."""
    return SUPERVISORS[sum(map(ord, factory)) % len(SUPERVISORS)]


def location_of(factory: str) -> LocationEntity:
    """Return the location of a factory."""
    city = factory.split("-", maxsplit=1)[0].upper()
    return {
        "company": "Acme",
        "country": "MX",
        "region": "West",
        "state": city,
        "county": city,
        "city": city,
        "neighborhood": "Centro",
    }
