"""A gateway before an API and a broker that lie: whatever is killed, each report is one fact, with its content.

In memory a store and a sender die at any call of their disk and network, by a clock that is set. Otherwise a process
is killed, before stand-ins on this machine, or before a stack. The parts about OPC UA are in `lab.opcua`.
"""

import io
import json
import math
import os
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest.mock import patch

from andon.events.domain_event import DomainEvent
from andon.recorded.lake import EVENTS, lines_of
from andon.testing.proving.deployed import DeployedWorld
from andon.testing.proving.prover import ProvedPart, Record
from andon.testing.proving.world import LivingWorld
from andon.testing.scripted_server import END, ReceivedRequest, ScriptedServer
from andon.tools.listings import keys_in
from andon.tools.stack.stack import Stack
from andon.tools.thing.certificate import CERTIFICATE, KEY, SIGNERS
from andon.tools.thing.register import register
from andon.tools.views.deployed import here
from andon_gateway.clock import Clock
from andon_gateway.https import Https
from andon_gateway.sender import Sender
from andon_gateway.store import Store, Unavailable
from andon_gateway.testing.broker import Broker
from andon_gateway.tokens import Tokens
from contract import groups
from contract.levels import FIELDS
from contract.reports import REPORTED
from lab import opcua
from lab.gateway_process import (
    APART_MS,
    FIRST_MS,
    MACHINES,
    MOST_AT_ONCE,
    STORE,
    WAY,
    Fate,
    Machines,
    Made,
    judged,
    not_added,
    workload,
)
from lab.liar import LOOK_S, Liar
from services.equipment.things import GATEWAY as OF_PLANTS

_COUNT: Final = 400
_CAPACITY: Final = 150
_KILLED, _FULL = 0.004, 0.01
"""Shares of the calls."""

_FED: Final = 0.2
_MOST_TURNS: Final = 5_000

_LONG_COUNT: Final = 10_000
_DEPLOYED_COUNT: Final = 3_000
_KILLS: Final = 20
_LONGEST_S: Final = 300
LIES: Final = 4
_MOST_SEED: Final = 1_000_000
_HTTP_S: Final = 1.0  # much, so that a busy machine gets on, and less than the API hangs
_MQTT_S: Final = 0.25
_DEPLOYED_S: Final = 30.0
_IN_LAKE_S: Final = 180
_LIVES_S: Final = {"https": (0.2, 1.0), "mqtt": (0.2, 0.4)}
"""A process needs the shorter to start, and sends for the rest until it is killed; MQTT has sent all soon."""


class _Killed(BaseException):
    """The process ended here: no handler of the gateway's catches it."""


class _Host:
    """Files, an API, and the time in epoch seconds: they go on when a process has ended."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.liar, self.dice = Liar(seed), Random(seed)  # noqa: S311  faults are no secret
        self.now_s = FIRST_MS / 1000
        self.kills, self.fulls = 0, 0
        self.disk = folder / "0"
        self.disk.mkdir()
        self._root, self._is_alive = folder, True
        (folder / "token").write_text("secret")

    @contextmanager
    def life(self) -> Iterator[None]:
        """Let a process live until it ends, or is killed: then only what its files were at that moment is there."""
        self._is_alive = True
        with (
            ExitStack() as self._open,
            patch.object(sqlite3, "connect", self._connect),
            patch.object(socket, "create_connection", lambda *_, **__: _Network(self)),
            suppress(_Killed),
        ):
            yield

    def gateway(self) -> tuple[Store, Sender]:
        """Begin with what is there."""
        clock, tokens = Clock(is_trusted=False, wall=lambda: self.now_s), Tokens(file=self._root / "token")
        store = Store(self.disk / STORE, capacity=_CAPACITY)
        north = Https("http://127.0.0.1:9", tokens=tokens, clock=clock)
        return store, Sender(store, north, counts=Counter(), chance=self.dice)

    def call(self, *, is_write: bool = False) -> None:
        """Die here, perhaps, or find the disk full."""
        if not self._is_alive:  # what Python still does for the dead happens to files that nobody reads again
            return
        if self.dice.random() < _KILLED:
            self._is_alive = False
            self._keep_files()
            raise _Killed
        if is_write and self.dice.random() < _FULL:
            self.fulls += 1
            raise sqlite3.OperationalError("database or disk is full")

    def _keep_files(self) -> None:
        self.kills += 1
        before, self.disk = self.disk, self._root / str(self.kills)
        self.disk.mkdir()
        for name in (STORE, f"{STORE}-wal"):
            if (before / name).exists():
                shutil.copy(before / name, self.disk / name)

    def _connect(self, path: Path, **options: Any) -> sqlite3.Connection:  # noqa: ANN401  as sqlite3's
        connection = self._open.enter_context(closing(_Disk(path, **options)))
        connection.host = self
        return connection


class _Disk(sqlite3.Connection):
    """SQLite on the host's disk."""

    host: _Host

    def executescript(self, script: str) -> sqlite3.Cursor:
        """Run a script."""
        return self._between(lambda: super(_Disk, self).executescript(script))

    def execute(self, sql: str, values: Any = ()) -> sqlite3.Cursor:  # noqa: ANN401  as sqlite3's
        """Run a statement."""
        is_write = sql.split(maxsplit=1)[0] in {"INSERT", "DELETE", "COMMIT"}
        return self._between(lambda: super(_Disk, self).execute(sql, values), is_write=is_write)

    def executemany(self, sql: str, rows: Any) -> sqlite3.Cursor:  # noqa: ANN401  as sqlite3's
        """Run a statement with each row."""
        return self._between(lambda: super(_Disk, self).executemany(sql, rows), is_write=True)

    def _between(self, run: Callable[[], sqlite3.Cursor], *, is_write: bool = False) -> sqlite3.Cursor:
        self.host.call(is_write=is_write)
        found = run()
        self.host.call()
        return found


class _Network:
    """A socket to the API."""

    def __init__(self, host: _Host) -> None:
        self._host, self._sent = host, b""

    def sendall(self, content: bytes) -> None:
        """Send."""
        self._sent += content

    def makefile(self, _mode: str) -> io.BytesIO:
        """Return the answer to what was sent."""
        self._host.call()
        sent, self._sent = self._sent, b""
        answer = self._host.liar.over_http(ReceivedRequest(0, 0, "", {}, sent.partition(END)[2]))
        self._host.call()
        if answer.late_s:
            self._host.now_s += answer.late_s
            raise TimeoutError
        return io.BytesIO(answer.content)

    def setsockopt(self, *_: int) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


def in_memory(folder: Path, seed: int) -> Fate:
    """Return the fate of reports of a gateway that dies at any call, on a disk that is full at times."""
    host, made = _Host(folder, seed), workload(_COUNT, seed)
    turns = iter(range(_MOST_TURNS))
    while not (is_over := _live(host, made, turns)) and next(turns, None) is not None:
        pass
    outcome = host.liar.judged(made, host.disk, host.kills)
    return outcome._replace(is_over=is_over, mischief={"full": host.fulls, **outcome.mischief})


def _live(host: _Host, made: Sequence[Made], turns: Iterator[int]) -> bool:
    """Feed and send; return True if all has gone."""
    with host.life():
        store, sender = host.gateway()
        left = not_added(store, made)
        while left or store.waiting:
            if next(turns, None) is None:
                return False
            if left and host.dice.random() < _FED:
                batch = left[: host.dice.randint(1, MOST_AT_ONCE)]
                with suppress(Unavailable):
                    store.add(batch)
                    left = left[len(batch) :]
            else:
                host.now_s += sender.step()
        return True
    return False


class _Child:
    """The process of a gateway for reports that are made up; is_well: nothing but kills ended it."""

    def __init__(
        self,
        folder: Path,
        way: dict[str, Any],
        count: int,
        seed: int,
        *,
        timeout_s: float,
        machines: Machines | None = None,
    ) -> None:
        (folder / WAY).write_text(json.dumps(way))
        numbers, whose = (str(count), str(seed), str(timeout_s)), json.dumps((machines or Machines())._asdict())
        self._folder = folder
        self._command = [sys.executable, "-m", "lab.gateway_process", str(folder), *numbers, whose]
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
        self.killed, self.is_well = 0, True

    def run(self, is_enough: Callable[[], bool] = lambda: False) -> bool:
        """Run until it ends, or it is enough: then it is killed. Return True if it came to its end, well."""
        ends_s = time.monotonic() + _LONGEST_S
        with subprocess.Popen(self._command, env=self._environment) as process:
            while process.poll() is None and time.monotonic() < ends_s and not is_enough():
                time.sleep(LOOK_S)
            process.kill()
        is_killed, is_over = process.returncode == -signal.SIGKILL, process.returncode == 0
        self.killed += is_killed
        self.is_well &= is_killed or is_over
        return is_over and self.is_well

    def run_killed(self, liar: Liar, made: Sequence[Made], kills: int) -> Fate:
        """Kill it at even parts of the way, then let it end; beyond a part it gets no answers."""
        for number in range(1, kills + 1):
            liar.most = number * len(made) // (kills + 2)
            self.run(lambda: len(liar.facts) >= liar.most)
        liar.most = math.inf
        is_over = self.run()
        return liar.judged(made, self._folder, self.killed)._replace(is_over=is_over)


def over_http(folder: Path, seed: int, *, count: int = _LONG_COUNT, kills: int = _KILLS) -> Fate:
    """Return the fate of reports before an API that lies."""
    (folder / "token").write_text("secret")
    liar, made = Liar(seed), workload(count, seed)
    with ScriptedServer(liar.over_http) as api:
        child = _Child(folder, {"url": api.url}, count, seed, timeout_s=_HTTP_S)
        return child.run_killed(liar, made, kills)


def over_mqtt(folder: Path, seed: int, *, count: int = _LONG_COUNT, kills: int = _KILLS) -> Fate:
    """Return the fate of reports before a broker that lies."""
    liar, made = Liar(seed), [one for one in workload(count, seed) if not one.is_poison]
    with Broker(liar.over_mqtt) as broker:
        child = _Child(folder, {"port": broker.port}, count, seed, timeout_s=_MQTT_S)
        return child.run_killed(liar, made, kills)


def _prove(fate: Callable[[Path, int], Fate], _: LivingWorld, dice: Random, record: Record) -> None:
    with tempfile.TemporaryDirectory() as name:
        _judge(fate(Path(name), dice.randrange(_MOST_SEED)), record)


def _judge(found: Fate, record: Record) -> None:
    record.note(f"{found.kills} kills; {found.again} came again, as the same fact")
    record.expect("no report is lost", not found.lost, found)
    record.expect("none is doubled", not found.doubled, found)
    record.expect("none is altered", not found.altered, found)
    record.expect("what is refused is what the API refused by name", not found.wrongly_refused, found)
    record.expect("all has gone in the end", found.is_over, found)
    record.expect("it was killed", found.kills, found)
    record.expect("it was lied to", len(found.mischief) >= LIES or not found.mischief, found)


def _prove_deployed(via: str, world: LivingWorld, dice: Random, record: Record) -> None:
    """Kill a process before a stack, whose lake has to have each report."""
    if not isinstance(world, DeployedWorld):
        raise TypeError("it needs a stack")
    seed, run_id = dice.randrange(_MOST_SEED), secrets.token_hex(4)
    plant, first_ms = f"torture-{run_id}", world.now_ms - _DEPLOYED_COUNT * APART_MS
    # What is in no factory of this gateway's, the API refuses by name.
    machines = Machines(prefix=f"{plant}-", first_ms=first_ms, poisoned=f"elsewhere-{run_id}")
    _register(world, plant, machines.prefix, record)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "token").write_text(world.stack.token(groups.GATEWAY, plant))
        way = {"url": world.stack.outputs["ApiUrl"]} if via == "https" else {"andon": _connect(world, folder, plant)}
        child = _Child(folder, way, _DEPLOYED_COUNT, seed, timeout_s=_DEPLOYED_S, machines=machines)
        for _ in range(_KILLS):
            ends_s = time.monotonic() + dice.uniform(*_LIVES_S[via])
            child.run(partial(_is_past, ends_s))
        is_over = child.run()
        made = [one for one in workload(_DEPLOYED_COUNT, seed, machines) if via == "https" or not one.is_poison]
        facts, lines, read = dict[str, dict[str, Any]](), Counter[str](), set[str]()

        def has_all() -> bool:
            for fact_id, fact in _new_in_lake(world.stack, machines.prefix, read):
                facts[fact_id] = fact
                lines[fact_id] += 1
            return len(facts) >= sum(not one.is_poison for one in made)

        world.until(has_all, within_s=_IN_LAKE_S)
        again = sum(times > 1 for times in lines.values())
        _judge(judged(made, facts.values(), folder)._replace(is_over=is_over, again=again, kills=child.killed), record)


def _is_past(end_s: float) -> bool:
    return time.monotonic() >= end_s


def _register(world: LivingWorld, plant: str, prefix: str, record: Record) -> None:
    place = {"name": "press", "factoryId": plant, "lineId": "1", "location": dict.fromkeys(FIELDS, "x")}
    for number in range(MACHINES):
        path = {"id": f"{prefix}{number}"}
        answer = world.request("PUT /equipment/{id}", path=path, body=place, groups=(groups.OPERATOR,))
        record.expect("machines are registered", answer.status == HTTPStatus.CREATED, answer)


def _connect(world: DeployedWorld, folder: Path, plant: str) -> dict[str, Any]:
    """Issue a certificate to a plant's gateway; return its connection."""
    made = register(here(world.stack.outputs), OF_PLANTS.name, plant, home=folder)
    files = {"ca": SIGNERS, "certificate": CERTIFICATE, "key": KEY}
    paths = {name: str(made.folder / file) for name, file in files.items()}
    return {"via": "mqtt", "endpoint": made.host, "port": made.port, "thing": made.thing, **paths}


def _new_in_lake(stack: Stack, prefix: str, read: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the reports by id that are in objects of the lake that were not `read`."""
    s3, bucket = stack.client("s3"), stack.outputs["LakeBucket"]
    for key in {*keys_in(s3, bucket, f"{EVENTS}/")} - read:
        read.add(key)
        for envelope in map(json.loads, lines_of(s3.get_object(Bucket=bucket, Key=key)["Body"].read())):
            if (envelope["source"], envelope["detail-type"]) == REPORTED:
                fact = dict(DomainEvent.from_wire(envelope["detail"]).entity("state").fields)
                if str(fact["equipmentId"]).startswith(prefix):
                    yield str(envelope["detail"]["id"]), fact


PARTS: Final = {
    "memory": ProvedPart(partial(_prove, in_memory), deployed=False),
    "http": ProvedPart(partial(_prove, over_http), deployed=False),
    "mqtt": ProvedPart(partial(_prove, over_mqtt), deployed=False),
    "outages": ProvedPart(opcua.prove_outages, deployed=False),
    "backlog": ProvedPart(opcua.prove_backlog, deployed=False),
    "stack-https": ProvedPart(partial(_prove_deployed, "https"), in_memory=False),
    "stack-mqtt": ProvedPart(partial(_prove_deployed, "mqtt"), in_memory=False),
}
