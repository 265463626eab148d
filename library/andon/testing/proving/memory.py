"""The world in memory: AWS in this process by a clock that is set, with queues, streams, schedules and workers.

Workers run at the same time by that clock, and one after the other in this process: one runs until time passes in it,
because it waits, a call is slow or a host of somebody else's thinks. Then another one goes on. So what a seed does is
the same each time. Schedules call the sweeps of services, and nothing else.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from heapq import heappop, heappush
from itertools import count
from random import Random
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Final, Self
from unittest.mock import patch

from andon.dynamodb.attribute_values import Item, to_typed
from andon.events.publish import NotPublished
from andon.outbound import provider
from andon.outbound.channels import KEPT_MS
from andon.packages.discovery import (
    follower_of_table,
    owner_of_route,
    packages,
    services,
    subscribers_of,
    woken_by,
)
from andon.packages.package import Package
from andon.runtime import clock, log, strict_json
from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.testing.above_retries import Pass, between
from andon.testing.lambda_events import sqs_event
from andon.testing.loop import Loop
from andon.testing.memory.hook import Call
from andon.testing.memory.queues import name_in
from andon.testing.proving.settings import DeployedSettings, settings
from andon.testing.proving.world import NO_FAULTS, Faults, Outside, Post, nobody
from andon.testing.world import alone
from andon.wire.deadline import time_of_attempt_ms
from andon.wire.queue import name_of

START_MS: Final = 1_588_032_000_000
_STEP_S: Final = 1
_FOLLOWED_AGAIN_MS: Final = 1_000
"""After so long a stream brings a batch again that failed."""

_SIDES: Final = ("services", "views", "pages", "contract")
"""The packages whose modules each process has for itself."""

_WORLDS: Final = count(1)


class _Killed(BaseException):
    """The process of a worker ends here; no handler catches it."""


@dataclass(slots=True)
class _InQueue:
    """A message of a queue."""

    body: str
    receives: int = 0


class _RunningHandler(Thread):
    """An invocation, and its own context; it runs while the world lets it.

    answer: of the handler. has_failed: Lambda tries again. error: anything that no handler should raise.
    """

    def __init__(self, world: "InMemory", package: Package, role: str, event: JsonObject) -> None:
        super().__init__(daemon=True)
        self.role, self.function_name = role, f"{package.name}-{role}"
        self.aws_request_id = "00000000-0000-0000-0000-000000000000"
        self.wakes_ms = world.now_ms
        self.ends_ms = world.now_ms + 1_000 * world.settings.timeout_s[package.path(role)]
        self.answer: Any = None
        self.error: BaseException | None = None
        self.has_failed = self.is_done = False
        self._world, self._call = world, partial(package.handler(role), event, self)
        self._turn, self._turn_of_others = Lock(), Lock()
        self._turn.acquire()
        self._turn_of_others.acquire()
        self.start()

    def get_remaining_time_in_millis(self) -> int:
        """Return the time until Lambda ends it."""
        return max(0, self.ends_ms - self._world.now_ms)

    def run(self) -> None:
        """Call the handler when it is its turn."""
        self._turn.acquire()
        try:
            self.answer = self._call()
        except (_Killed, CallFailed, NotPublished):
            self.has_failed = True
        except BaseException as error:  # noqa: BLE001  the world raises it where the prover sees it
            self.error = error
        self.is_done = True
        self._turn_of_others.release()

    def go_on(self) -> None:
        """Let it run until time passes in it, or it is done."""
        self._turn.release()
        self._turn_of_others.acquire()

    def rest(self) -> None:
        """Let the others run; called by itself."""
        self._turn_of_others.release()
        self._turn.acquire()


class InMemory(Loop):
    """A world of this process, see `LivingWorld`.

    begun: time and file of each invocation. dead: queues and bodies of dead letters. lines: those that were logged.
    """

    makes = frozenset({"kill", "lose", "twice", "late"})

    def __init__(
        self,
        dice: Random,
        faults: Faults = NO_FAULTS,
        *,
        outside: Outside = nobody,
        variables: Mapping[str, str] | None = None,
        deployed_as: DeployedSettings | None = None,
    ) -> None:
        """variables: of all handlers, beside those of the template. deployed_as: by default what the template says."""
        self.outside, self.settings, self.now_ms = outside, deployed_as or settings(), START_MS
        self.counts, self.occasions = Counter[str](), Counter[str]()
        self.begun, self.dead, self.lines = list[tuple[int, str]](), list[tuple[str, str]](), list[str]()
        self._dice, self._faults, self._variables, self._number = dice, faults, variables or {}, next(_WORLDS)
        self._due: list[tuple[int, bool, float, int, Callable[[], object]]] = []
        self._numbers = count()
        self._waiting, self._busy = defaultdict[str, list[_InQueue]](list), Counter[str]()
        self._records, self._followed = defaultdict[str, list[Any]](list), set[str]()
        self._facts: dict[str, JsonObject] = {}
        self._worker: _RunningHandler | None = None
        self._resting, self._is_over = set[_RunningHandler](), False
        self._handlers = {one.path(role): (one, role) for one in packages() for role in one.roles}
        super().__init__()

    def __enter__(self) -> Self:
        """Begin, with processes that know nothing of another world."""
        super().__enter__()
        _end_processes()
        self.secrets |= {self._secret(name): [f"{name} of a world in memory, the first"] for name in self._named}
        for one in (
            patch.object(clock, "now_ms", lambda: self.now_ms),
            patch.object(clock, "wait", self._let_pass),
            patch.object(log, "write", self.lines.append),
            patch.object(provider, "post_once", self._post),
            patch.object(cached_property, "__get__", _got_without_lock),
            between(self._between),
        ):
            self._stack.enter_context(one)
        for package in services():
            if package.plays("sweep"):
                self._tick(package, is_first=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the workers that still run."""
        self._is_over = True
        for worker in [*self._resting]:
            worker.go_on()
        super().__exit__(kind, error, trace)

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers: the template's, this world's own names, and the prover's."""
        secrets = {name: self._secret(name) for name in self._named}
        return {**self.settings.variables, **super().variables(), **secrets, **self._variables}

    # What a prover asks of it.

    def publish(self, source: str, events: Iterable[JsonMapping]) -> None:
        """Put facts on the bus."""
        self.bus += [{"Source": source, "DetailType": one["type"], "Detail": strict_json.dumps(one)} for one in events]
        self._collect()

    def facts(self, *types: str) -> list[JsonObject]:
        """Return the facts of some types that the bus took."""
        return [fact for fact in self._facts.values() if fact["type"] in types]

    def put(self, table: str, rows: Iterable[Item]) -> None:
        """Put rows into a table."""
        for row in rows:
            self.tables[table].write("Put", {"Item": to_typed(row)})

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield all that it keeps and logs."""
        yield "log", "\n".join(self.lines)
        yield from (("objects", one["Body"]) for variable in self.buckets for one in self.objects(variable))
        yield from ((table, json.dumps(self.rows(table), default=str)) for table in self.tables)

    def secret(self, variable: str) -> str:
        """Return the value of a secret."""
        return self.secrets[self._secret(variable)][0]

    def rotate(self, variable: str, value: str) -> None:
        """Give a secret another value, and let so much time pass that each process asks for it."""
        values = self.secrets[self._secret(variable)]
        values[:] = [value, values[0]]
        self.wait(KEPT_MS / 1_000)

    def calm(self) -> None:
        """Make no fault any more."""
        self._faults = NO_FAULTS

    def wait(self, seconds: float) -> None:
        """Let time pass, with all that is due meanwhile."""
        until_ms = self.now_ms + round(seconds * 1_000)
        self._collect()
        while self._due and self._due[0][0] <= until_ms:
            self._do_next()
        self.now_ms = max(self.now_ms, until_ms)

    def until(self, done: Callable[[], object], *, within_s: float) -> bool:
        """Let time pass until something is so; return False if it was not in time."""
        end_ms = self.now_ms + round(within_s * 1_000)
        while not done():
            if self.now_ms >= end_ms:
                return False
            self.wait(_STEP_S)
        return True

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401
        """Call a handler for somebody who waits; who is killed has no answer, which the API says as 500."""
        return self._awaited([self._begin(package, role, event)])[0]

    def call_at_once(self, events: Iterable[JsonObject]) -> list[Any]:
        """Send HTTP events a millisecond after one another, to handlers that go on side by side; return the answers."""
        workers = list[_RunningHandler]()
        for one in events:
            self.wait(0.001)
            workers.append(self._begin(*owner_of_route(one["routeKey"]), one))
        return self._awaited(workers)

    def _awaited(self, workers: Sequence[_RunningHandler]) -> list[Any]:
        while not all(one.is_done for one in workers):
            self._do_next()
        self._collect()
        return [{"statusCode": 500, "headers": {}} if one.has_failed else one.answer for one in workers]

    # Time, and who runs in it.

    def _at(self, at_ms: int, do: Callable[[], object], *, last: bool = False) -> None:
        """Do something at a time: in any order of all that is due then, but behind it what is `last`."""
        heappush(self._due, (at_ms, last, self._dice.random(), next(self._numbers), do))

    def _do_next(self) -> None:
        at_ms, *_, do = heappop(self._due)
        self.now_ms = max(self.now_ms, at_ms)
        do()
        self._collect()

    def _begin(
        self, package: Package, role: str, event: JsonObject, ended: Callable[[_RunningHandler], object] = bool
    ) -> _RunningHandler:
        self.begun.append((self.now_ms, package.path(role)))
        worker = _RunningHandler(self, package, role, event)
        self._let_go_on(worker, ended)
        return worker

    def _let_go_on(self, worker: _RunningHandler, ended: Callable[[_RunningHandler], object]) -> None:
        self._worker = worker
        worker.go_on()
        self._worker = None
        if worker.error:
            raise worker.error
        if worker.is_done:
            self._resting.discard(worker)
            ended(worker)
        else:  # time passes in it
            self._resting.add(worker)
            self._at(worker.wakes_ms, partial(self._let_go_on, worker, ended))

    def _let_pass(self, seconds: float) -> None:
        """Let time pass for who runs now, and others go on; Lambda ends whoever takes too long."""
        worker, wakes_ms = self._worker, self.now_ms + round(seconds * 1_000)
        if worker is None:
            self.wait(seconds)
            return
        worker.wakes_ms = min(wakes_ms, worker.ends_ms)
        worker.rest()
        if self._is_over or wakes_ms > worker.ends_ms:
            raise _Killed

    # The ways of messages, records and schedules.

    def _collect(self) -> None:
        """Take what was published, sent and changed, for those who read it."""
        for body in self.new_bodies():
            said = (json.loads(part)["detail"] for part in alone([body]))
            self._facts |= {one["id"]: one for one in said if isinstance(one.get("id"), str)}  # anybody may publish
            envelope = json.loads(body)
            topic = envelope["source"], envelope["detail-type"]
            for queue in (
                *(name_of(package.name) for package in subscribers_of(*topic)),
                *(package.sender_queue for package in woken_by(*topic)),
            ):
                self._send(queue, body)
        for queue, sent in self.queues.take_all():
            self._send(name_in(queue), sent.body, sent.delay_seconds)
        for table in self._streams:
            self._records[table] += self.new_records(table)
            if self._records[table] and table not in self._followed:
                self._followed.add(table)
                _, window_s = self._stream_of(table)
                self._at(self.now_ms + 1_000 * window_s, partial(self._follow, table), last=True)

    def _send(self, queue: str, body: str, delay_s: int | None = None) -> None:
        known = self.settings.queues[queue]
        role = known.file.rpartition("/")[2]
        for _ in range(1 + self._happens("twice", self._faults.twice, role)):
            late_s = self._dice.uniform(0, self._faults.late_s) if self._happens("late", self._faults.late, role) else 0
            delay_ms = round(1_000 * ((known.delay_s if delay_s is None else delay_s) + late_s))
            self._at(self.now_ms + delay_ms, partial(self._arrive, queue, _InQueue(body)))

    def _arrive(self, queue: str, message: _InQueue) -> None:
        self._waiting[queue].append(message)
        self._at(self.now_ms, partial(self._receive, queue), last=True)

    def _receive(self, queue: str) -> None:
        """Bring batches to as many workers as may read a queue at a time."""
        known, waiting = self.settings.queues[queue], self._waiting[queue]
        while waiting and self._busy[queue] < known.at_a_time:
            self._dice.shuffle(waiting)
            batch, waiting[:] = waiting[: known.size], waiting[known.size :]
            self._busy[queue] += 1
            package, role = self._handlers[known.file]
            ended = partial(self._received, queue, batch, self.now_ms + 1_000 * known.hidden_s)
            self._begin(package, role, sqs_event([one.body for one in batch]), ended)

    def _received(self, queue: str, batch: Sequence[_InQueue], visible_ms: int, worker: _RunningHandler) -> None:
        """Let messages that failed come again when they are visible, or be dead letters."""
        self._busy[queue] -= 1
        failed = None if worker.has_failed else {one["itemIdentifier"] for one in worker.answer["batchItemFailures"]}
        for name, message in zip(sqs_event(one.body for one in batch)["Records"], batch, strict=True):
            if failed is None or name["messageId"] in failed:
                message.receives += 1
                if message.receives >= self.settings.queues[queue].receives:
                    self.dead.append((queue, message.body))
                else:
                    self._at(visible_ms, partial(self._arrive, queue, message))
        self._at(self.now_ms, partial(self._receive, queue), last=True)

    def _follow(self, table: str) -> None:
        """Bring the first records of a stream to who follows it."""
        package, role = follower_of_table(table)
        size, _ = self._stream_of(table)
        records = self._records[table][:size]
        self._begin(package, role, {"Records": records}, partial(self._has_followed, table, len(records)))

    def _has_followed(self, table: str, number: int, worker: _RunningHandler) -> None:
        if worker.has_failed:
            self._at(self.now_ms + _FOLLOWED_AGAIN_MS, partial(self._follow, table))
        else:
            del self._records[table][:number]
            self._followed.remove(table)

    def _tick(self, package: Package, *, is_first: bool = False) -> None:
        if not is_first:
            self._begin(package, "sweep", {})
        every_s = self.settings.every_s[package.path("sweep")]
        self._at(self.now_ms + 1_000 * every_s, partial(self._tick, package))

    @property
    def _streams(self) -> Iterator[str]:
        return (name for name, schema in self.schemas.items() if schema.stream)

    def _stream_of(self, table: str) -> tuple[int, int]:
        package, role = follower_of_table(table)
        return self.settings.streams[package.path(role)]

    # Faults.

    def _happens(self, fault: str, share: float, role: str) -> bool:
        if not share or self._is_over or not self._faults.hits(role):
            return False
        self.occasions[fault] += 1
        happens = self._dice.random() < share
        self.counts[fault] += happens
        return happens

    def _may_die(self, worker: _RunningHandler) -> None:
        if self._happens("kill", self._faults.kill, worker.role):
            raise _Killed

    def _between(self, _: Call, make: Pass) -> Any:  # noqa: ANN401  an answer
        """Make a call of a worker, who may die before it or behind it, and not get its answer."""
        worker = self._worker
        if worker is None:
            return make()
        if self._faults.slow_ms and self._faults.hits(worker.role):
            self._let_pass(self._dice.uniform(0, self._faults.slow_ms) / 1_000)
        self._may_die(worker)
        answer = make()
        self._may_die(worker)
        if self._happens("lose", self._faults.lose, worker.role):
            raise CallFailed("ConnectionClosedError")
        return answer

    def _post(self, url: str, _headers: Mapping[str, str], body: bytes, **_: object) -> provider.Reply:
        """Bring a request to the hosts of others, in the place of libcurl."""
        worker, longest_s = self._worker, min(provider.LONGEST_MS, time_of_attempt_ms()) / 1_000
        if worker is None:
            raise RuntimeError("only handlers send")
        self._may_die(worker)
        reply = self.outside(Post(self.now_ms, url, body))
        self._may_die(worker)
        self._let_pass(min(reply.late_s, longest_s))
        if reply.late_s >= longest_s or not reply.status:
            failed = "OperationTimedout" if reply.status else "CouldntConnect"
            return provider.Reply(0, (), b"", failed, went_out=bool(reply.status))
        return provider.Reply(reply.status, (), reply.body, "", went_out=True)

    # Names.

    @property
    def _named(self) -> Sequence[str]:
        return self.settings.secrets

    def _secret(self, variable: str) -> str:
        """Return the name of a secret, which no other world has: processes keep values by it."""
        return f"{variable} of world {self._number}"


def _end_processes() -> None:
    """Clear what the modules of handlers keep for as long as their process lives."""
    modules = [module for name, module in sys.modules.items() if name.partition(".")[0] in _SIDES]
    for kept in (one for module in modules for one in vars(module).values() if hasattr(one, "cache_clear")):
        kept.cache_clear()


def _got_without_lock(kept: Any, instance: Any, owner: object = None) -> Any:  # noqa: ANN401, ARG001  of any class
    """Return a cached property as Python 3.12 does; 3.11 holds a lock of all instances, in which a worker may rest."""
    if instance is None:
        return kept
    if kept.attrname not in instance.__dict__:
        instance.__dict__[kept.attrname] = kept.func(instance)
    return instance.__dict__[kept.attrname]
