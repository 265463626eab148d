"""Lakes that the real loop makes: shifts of machines that report, fall silent, flap and are late, and of people.

Each act has a second of its own, for the lake has whole seconds, but in a lake of ties: there machines report twice
within one second, in another order than their own times.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Final, NamedTuple, Self
from unittest.mock import patch
from uuid import UUID

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.outbound.delivery import Message, Outcome, Sent
from andon.runtime import log, times
from andon.runtime.json_types import JsonObject
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from services.notify import outbound
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS, VERIFIED
from services.notify.tables import partition_of

BEGIN_MS: Final = times.to_ms("2020-04-28T05:00:00Z")
MINUTE_MS: Final = 60_000
SECOND_MS: Final = 1_000
YOUNG_MS: Final = 14 * MINUTE_MS
"""A log that is younger is not due to be escalated."""
SWEPT_AT: Final = 30
"""Second of each minute in which the sweeps run, and nothing else happens."""

CATEGORIES: Final = ("material", "quality")
CHANNEL: Final = "mail"


class Factory(NamedTuple):
    """A factory: whoever works there, by id."""

    id: str
    operators: tuple[str, ...]
    supervisor: str
    person: str

    @classmethod
    def of(cls, number: int) -> Self:
        """Return the factory of a number."""
        return cls(f"gdl-{number}", (f"op-{number}1", f"op-{number}2"), f"sv-{number}0", f"mg-{number}0")

    @property
    def people(self) -> tuple[str, ...]:
        """All who work there."""
        return (*self.operators, self.supervisor, self.person)

    @property
    def roster(self) -> JsonObject:
        """Its roster: it has no manager, so that a step that asks for one finds nobody."""
        return {"operators": [*self.operators], "supervisor": self.supervisor}

    @property
    def chains(self) -> JsonObject:
        """Its chains: two on trouble, one on silence, one on calls."""
        trouble = [_step(0, "assigned"), {**_step(4, "duty:supervisor"), "every": 4, "times": 2}]
        return {
            "chains": [
                _chain("trouble", ["ERROR*", "WARNING*"], trouble),
                _chain("errors", ["ERROR"], [_step(1, "assigned"), _step(6, self.person)]),
                _chain("silence", ["SILENT"], [_step(0, "duty:manager"), _step(10, "duty:operator")]),
                _chain("calls", ["call:material"], [_step(0, "assigned"), _step(5, "duty:supervisor")]),
            ]
        }


def _chain(name: str, on: list[str], steps: list[JsonObject]) -> JsonObject:
    return {"id": name, "on": on, "steps": steps}


def _step(after: int, tell: str) -> JsonObject:
    return {"after": after, "tell": tell, "urgency": "high"}


class Sends:
    """A channel that sends whatever it is given."""

    name = CHANNEL

    def send(self, message: Message) -> Outcome:
        """Return that it was sent."""
        return Sent(message.id)


MACHINES: Final = ("press-7", "säge-ü", "gdl#2", "line-3&co;", "プレス", "O'Neill+1", "Equipment#press-7")
STATES: Final = ("NORMAL", "NORMAL", "WARNING1", "WARNING22", "ERROR", "ERROR", "ERROR7")
AT_ONCE: Final = (0,)

Act = Callable[["Shift", int], None]
"""A step of a shift, at a time (epoch milliseconds)."""


class Kind(NamedTuple):
    """A kind of shift.

    minutes: its length. acts: how many there may be in a minute. late_s: by how many seconds reports may be late.
    quiet: the part of the machines that report nothing for some time. flapping: whether a machine changes its state
    every few seconds. tied: whether machines report twice within a second, and people are asked about several of them
    at once; else each machine has a factory of its own. doubled: the part of the reports that come again.
    """

    minutes: int
    acts: Sequence[int]
    late_s: Sequence[int] = AT_ONCE
    quiet: float = 0.3
    flapping: bool = False
    tied: bool = False
    doubled: float = 0.02


KINDS: Final = {
    "shift": Kind(120, (0, 1, 1, 2), late_s=(0, 0, 0, 0, 12, 120)),
    "late": Kind(100, (1, 1, 2, 3), late_s=(0, 0, 5, 29, 31, 240, 700, 1500), doubled=0.15),
    "flapping": Kind(70, (0, 1, 1), flapping=True, late_s=(0, 0, 0, 20)),
    "silent": Kind(330, (0, 0, 0, 0, 1), quiet=0.7, late_s=(0, 0, 0, 60, 1900)),
    "ties": Kind(110, (0, 1, 2), tied=True),
}


class Lake(NamedTuple):
    """The lines of a lake, and what it was made of."""

    name: str
    seed: int
    lines: Sequence[str]

    @property
    def is_tied(self) -> bool:
        """True if several of its events have one second."""
        return KINDS[self.name].tied

    def __str__(self) -> str:
        return f"{self.name}, seed {self.seed}"


def lived(name: str, seed: int, *, share: float = 1) -> Lake:
    """Let machines and people live through a shift, or through the first share of one, and return its lake."""
    kind = KINDS[name]
    with _alone(), Loop() as loop:
        shift = Shift(loop, kind._replace(minutes=round(kind.minutes * share)), Random(seed))  # noqa: S311  no secrets
        shift.live()
        bodies = loop.store[loop.buckets["LAKE_BUCKET"]].bodies
        objects = [body for key, body in sorted(bodies.items()) if key.startswith("events/")]
    return Lake(name, seed, [line for body in objects for line in gzip.decompress(body).decode().split("\n")[:-1]])


def written(lines: Iterable[str], folder: Path) -> Path:
    """Write lines as a lake: an object for each hour, in which they stand in this order."""
    hours = defaultdict[str, list[str]](list)
    for line in lines:
        hours[json.loads(line)["time"][:13]].append(line)
    for hour, found in hours.items():
        day, _, number = hour.partition("T")
        file = folder / "events" / f"day={day}" / f"hour={number}" / f"{hour}.ndjson.gz"
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress("".join(f"{line}\n" for line in found).encode(), 1))
    return folder


class Log(NamedTuple):
    """A report that was sent: of a machine, its state, its time (fixed-width UTC)."""

    machine: str
    state: str
    timestamp: str

    @property
    def path(self) -> dict[str, str]:
        """The path of what people do about it."""
        return {"id": self.machine, "state": self.state, "timestamp": self.timestamp}


class Shift:
    """A shift that is under way."""

    def __init__(self, loop: Loop, kind: Kind, chance: Random) -> None:
        self._loop, self._kind, self._chance = loop, kind, chance
        factories = [Factory.of(1 if kind.tied else number) for number, _ in enumerate(MACHINES, start=1)]
        self._factories = dict(zip(MACHINES, factories, strict=True))
        self._logs: list[Log] = []
        self._calls: list[str] = []
        self._awake: Sequence[str] = MACHINES
        often: list[Act] = [*[Shift._report] * 12, *[Shift._acknowledge] * 3, *[Shift._assign] * 2]
        self._acts = [*often, Shift._escalate, Shift._call, Shift._take]

    def live(self) -> None:
        """Live through it."""
        with frozen_clock(BEGIN_MS):
            self._begin()
            self._loop.run()
        for minute in range(1, self._kind.minutes):
            if minute % 35 == 1:
                self._awake = [one for one in MACHINES if self._chance.random() >= self._kind.quiet] or MACHINES[:1]
            for second, act in sorted(self._minute(), key=lambda one: one[0]):
                at_ms = BEGIN_MS + minute * MINUTE_MS + second * SECOND_MS
                with frozen_clock(at_ms):
                    act(self, at_ms)
                    self._loop.run()

    def _minute(self) -> Iterator[tuple[int, Act]]:
        """Yield what happens in a minute, each with its second."""
        free = [second for second in range(60) if second != SWEPT_AT]
        seconds = self._chance.sample(free, len(free))
        yield SWEPT_AT, Shift._sweep
        for _ in range(self._chance.choice(self._kind.acts)):
            yield seconds.pop(), self._chance.choice(self._acts)
        if self._kind.flapping:
            for _ in range(self._chance.choice((0, 2, 4))):
                yield seconds.pop(), Shift._flap
        if self._kind.tied and self._chance.random() < 1 / 8:
            yield seconds.pop(), Shift._tie

    def _begin(self) -> None:
        """Register factories, machines and people, who can all be told."""
        place = dict.fromkeys(("company", "country", "region", "state", "county", "city", "neighborhood"), "x")
        for factory in {*self._factories.values()}:
            path = {"factoryId": factory.id}
            self._do("PUT /factories/{factoryId}/roster", path, factory.roster)
            self._do("PUT /factories/{factoryId}/chains", path, factory.chains)
            for person in factory.people:
                _reach(person)
        for machine, factory in self._factories.items():
            body = {"name": machine, "factoryId": factory.id, "lineId": "l", "location": place}
            self._do("PUT /equipment/{id}", {"id": machine}, body)

    def _do(self, route: str, path: Mapping[str, str], body: object) -> None:
        status = self._loop.request(route, path=path, body=body).status
        if status >= HTTPStatus.BAD_REQUEST:
            raise ValueError(f"{route} was answered {status}")

    def _sweep(self, _: int) -> None:
        self._loop.sweep()

    def _report(self, at_ms: int) -> None:
        if self._logs and self._chance.random() < self._kind.doubled:
            self._send(self._chance.choice(self._logs[-10:]))
            return
        late_ms = self._chance.choice(self._kind.late_s) * SECOND_MS + self._chance.choice((0, 0, 137))
        self._send(Log(self._chance.choice(self._awake), self._state(), times.to_utc(at_ms - late_ms)))

    def _state(self) -> str:
        return self._chance.choice(STATES)

    def _flap(self, at_ms: int) -> None:
        state = (
            "NORMAL" if self._logs and self._logs[-1].state != "NORMAL" else self._chance.choice(("ERROR", "WARNING1"))
        )
        self._send(Log(self._awake[0], state, times.to_utc(at_ms)))

    def _tie(self, at_ms: int) -> None:
        machine, first = self._chance.choice(self._awake), self._state()
        self._send(Log(machine, first, times.to_utc(at_ms - 2 * SECOND_MS)))
        self._loop.run()
        with frozen_clock(at_ms + SECOND_MS // 2):
            second = self._state()
            self._send(Log(machine, second, times.to_utc(at_ms - 3 * SECOND_MS)))
            self._loop.run()

    def _send(self, sent: Log) -> None:
        path = {"id": sent.machine, "timestamp": sent.timestamp}
        self._do("PUT /equipment/{id}/states/{timestamp}", path, {"state": sent.state})
        self._logs.append(sent)

    def _acknowledge(self, _: int) -> None:
        if self._logs:
            path = self._recent().path
            if self._chance.random() < 1 / 8:
                path["state"] = "SILENT"
            self._loop.request("PUT /equipment/{id}/logs/{state}/{timestamp}/acknowledgement", path=path)

    def _assign(self, _: int) -> None:
        if self._logs:
            log = self._recent()
            body = {"operator": self._chance.choice(self._factories[log.machine].people)}
            self._loop.request("PUT /equipment/{id}/logs/{state}/{timestamp}/assignment", path=log.path, body=body)

    def _escalate(self, at_ms: int) -> None:
        """Escalate a log before the rule could: between its due time and the sweep it is a matter of who is first."""
        young = [log for log in self._logs[-8:] if times.to_ms(log.timestamp) > at_ms - YOUNG_MS]
        if young:
            log = self._chance.choice(young)
            body = {"supervisor": self._factories[log.machine].supervisor}
            self._loop.request("PUT /equipment/{id}/logs/{state}/{timestamp}/escalation", path=log.path, body=body)

    def _recent(self) -> "Log":
        return self._chance.choice(self._logs[-8:])

    def _call(self, _: int) -> None:
        call_id = str(UUID(int=self._chance.getrandbits(128), version=4))
        body = {
            "equipmentId": self._chance.choice(MACHINES[:2]),
            "category": self._chance.choice(CATEGORIES),
            "priority": 1,
        }
        self._loop.request("PUT /calls/{id}", path={"id": call_id}, body=body)
        self._calls.append(call_id)

    def _take(self, _: int) -> None:
        if self._calls:
            path, headers = {"id": self._calls.pop(0)}, {"if-match": '"1"'}
            self._loop.request("PUT /calls/{id}/taker", path=path, headers=headers)


def _reach(person: str) -> None:
    """Let a person be told by mail."""
    partition, address = partition_of(person), f"{person}@example.com"
    row = {"email": address, "order": [CHANNEL], "version": 1, "timestamp": 0}
    CONTACTS.put({**KEYS.of(partition, CONTACT), **row}, condition=UNCONDITIONAL)
    CONTACTS.put({**KEYS.of(partition, f"{VERIFIED}{CHANNEL}"), "address": address, "at": 0}, condition=UNCONDITIONAL)


@contextmanager
def _alone() -> Iterator[None]:
    """Write no lines of handlers, and send nothing."""
    with patch.object(log, "write", lambda _: None), patch.dict(outbound.CHANNELS, {CHANNEL: Sends()}, clear=True):
        yield
