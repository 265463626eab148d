"""`make demo`: the demo factory lives until it is stopped: machines report, people call, look after them, are told."""

import argparse
import heapq
import random
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS
from andon.tools.stack import outputs
from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo import factory_calls, factory_contacts, factory_help, factory_life, factory_maintenance, factory_start
from demo.factory import FACTORY, MACHINES, OPERATORS, SUPERVISOR
from demo.factory_calls import CallDeed
from demo.factory_life import Acknowledgement, MachineReport
from demo.factory_maintenance import KINDS, OrderDeed
from demo.people import name_of
from demo.tellings import Tellings

SILENCE_S: Final = 40 * 60  # a rule waits for 30 minutes of real time, whatever the speed
SIGN_IN_EACH_S: Final = 30 * 60  # a token lives for an hour
KNOWN_WITHIN_S: Final = 20  # services hear of a machine a moment after its registration
ACCEPTED: Final = frozenset({HTTPStatus.CREATED, HTTPStatus.OK})

Deed = factory_life.Deed | OrderDeed | CallDeed

STEPS: Final[dict[str, str]] = {"plan": "planned", "start": "started", "finish": "finished"}
CALL_STEPS: Final[dict[str, str]] = {"raise": "raised", "take": "taken", "close": "closed"}
STARTS: Final = {machine.id: factory_start.state_of(machine) for machine in MACHINES}


@dataclass(slots=True)
class Shift:
    """A demo that runs: what was done, by the state reported or `acknowledged`, and what was refused, by status.

    orders: how many were planned, started and finished, by step; calls: raised, taken, closed.
    """

    deployed: dict[str, str]
    done: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    tellings: Tellings = field(default_factory=Tellings)
    refused: Counter[int] = field(default_factory=Counter)
    _order_paths: dict[int, str] = field(default_factory=dict)
    _calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    _logs: dict[str, tuple[str, str]] = field(default_factory=dict)
    _stack: Stack | None = None
    _since_s: float = 0

    def do(self, deed: Deed) -> str | None:
        """Do it over HTTP, as whoever does it; return a line about what is worth to be seen."""
        if isinstance(deed, MachineReport):
            return self._report(deed)
        if isinstance(deed, CallDeed):
            return self._call(deed)
        return self._acknowledge(deed) if isinstance(deed, Acknowledgement) else self._maintain(deed)

    def told(self) -> list[str]:
        """Return lines about who was told since the last time."""
        return [*self.tellings.lines(self._api(groups.SUPERVISOR, SUPERVISOR))]

    def summary(self) -> str:
        """Return in a line what was done."""
        reports = {state: count for state, count in sorted(self.done.items()) if state != "acknowledged"}
        listed = ", ".join(f"{count} {state}" for state, count in reports.items())
        text = f"{sum(reports.values())} reports ({listed or 'none'}), {self.done['acknowledged']} acknowledgements"
        text += ", orders: " + ", ".join(f"{self.orders[step]} {words}" for step, words in STEPS.items())
        text += ", calls: " + ", ".join(f"{self.calls[step]} {words}" for step, words in CALL_STEPS.items())
        text += f", told: {self.tellings.count}"
        return f"{text}; refused: {', '.join(f'{count} x {status}' for status, count in self.refused.items()) or 0}"

    def _report(self, deed: MachineReport) -> str | None:
        timestamp = times.to_utc(clock.now_ms())
        body = {"state": deed.state} | ({"detail": deed.detail} if deed.detail else {})
        path = path_of("equipment", deed.machine, "states", timestamp)
        before, _ = self._logs.get(deed.machine, (STARTS[deed.machine], ""))
        if not self._is_accepted(self._api(groups.GATEWAY, FACTORY).put(path, body), deed.state):
            return None
        self._logs[deed.machine] = (deed.state, timestamp)
        if deed.state != before:
            self._watch(deed.machine)
        return None if deed.state == before else f"{deed.machine}: {deed.state}{_because(deed)}"

    def _acknowledge(self, deed: Acknowledgement) -> str | None:
        """Acknowledge the log as the operator that it was assigned to, or, before that, as the first of the roster."""
        if deed.machine not in self._logs:
            return None
        state, timestamp = self._logs[deed.machine]
        board = self._api(groups.OPERATOR, OPERATORS[0]).get(path_of("equipment", deed.machine, "board")).json
        operator = board.get("operator", OPERATORS[0])
        path = f"{path_of('equipment', deed.machine, 'logs', state, timestamp)}/acknowledgement"
        answer = self._api(groups.OPERATOR, operator).request("PUT", path)
        return f"{deed.machine}: {name_of(operator)} is on it" if self._is_accepted(answer, "acknowledged") else None

    def _maintain(self, deed: OrderDeed) -> str | None:
        """Plan an order as the supervisor, start or finish it as an operator; one that was refused is left alone."""
        if deed.step == "plan":
            answer = self._plan(deed)
        elif (path := self._order_paths.get(deed.number)) is None:
            return None
        else:
            body = {"result": "done"} if deed.step == "finish" else None
            answer = self._api(groups.OPERATOR, OPERATORS[0]).request("POST", f"{path}/{deed.step}", body)
        if not self._is_accepted(answer, deed.step, self.orders):
            return None
        if deed.step == "plan":
            order = answer.json
            path = path_of("equipment", deed.machine, "maintenance", order["date"], deed.kind)
            self._order_paths[deed.number] = path
        return f"{deed.machine}: {deed.kind} is {STEPS[deed.step]}"

    def _call(self, deed: CallDeed) -> str | None:
        """Raise a call as one operator, take and close it as another; one that was refused is left alone."""
        raises = deed.step == "raise"
        who = OPERATORS[(deed.number + (not raises)) % len(OPERATORS)]
        if raises:
            path = path_of("calls", str(uuid.uuid4()))
            answer = self._raise(path, deed, who)
        elif deed.number not in self._calls:
            return None
        else:
            path, etag = self._calls[deed.number]
            answer = self._answer(path, etag, deed, who)
        if not self._is_accepted(answer, deed.step, self.calls):
            self._calls.pop(deed.number, None)
            return None
        self._calls[deed.number] = (path, answer.headers["etag"])
        said = f" ({deed.text})" if raises else ""
        return f"{deed.machine}: the call for {deed.category} is {CALL_STEPS[deed.step]} by {name_of(who)}{said}"

    def _raise(self, path: str, deed: CallDeed, operator: str) -> HttpResponse:
        self._watch(deed.machine)
        body = {"equipmentId": deed.machine, "category": deed.category, "text": deed.text}
        return _once_known(lambda: self._api(groups.OPERATOR, operator).put(path, body))

    def _answer(self, path: str, etag: str, deed: CallDeed, operator: str) -> HttpResponse:
        """Take or close a call."""
        cause = factory_help.CAUSES.get(deed.category)
        what, closure = ("taker", None) if deed.step == "take" else ("closure", {"cause": cause} if cause else {})
        api = self._api(groups.OPERATOR, operator)
        return api.request("PUT", f"{path}/{what}", closure, headers={"if-match": etag})

    def _watch(self, machine: str) -> None:
        self.tellings.watch(machine, self._api(groups.SUPERVISOR, SUPERVISOR))

    def _plan(self, deed: OrderDeed) -> HttpResponse:
        """Plan an order, as soon as its machine is known."""
        day = times.to_utc(clock.now_ms() + deed.ahead_days * DAY_MS)[:10]
        path = path_of("equipment", deed.machine, "maintenance", day, deed.kind)
        return _once_known(lambda: self._api(groups.SUPERVISOR, SUPERVISOR).put(path, {"minutes": KINDS[deed.kind]}))

    def _is_accepted(self, answer: HttpResponse, what: str, counts: Counter[str] | None = None) -> bool:
        is_accepted = answer.status in ACCEPTED
        if is_accepted:
            (self.done if counts is None else counts)[what] += 1
        else:
            self.refused[answer.status] += 1
        return is_accepted

    def _api(self, role: str, user: str) -> ApiClient:
        if self._stack is None or time.monotonic() > self._since_s + SIGN_IN_EACH_S:
            self._stack, self._since_s = Stack(self.deployed), time.monotonic()
        return self._stack.api(role, user)


def _once_known(send: Callable[[], HttpResponse]) -> HttpResponse:
    """Send a request about a machine until the service knows the machine; return the last answer."""
    answers: list[HttpResponse] = []

    def is_answered() -> bool:
        answers.append(send())
        return answers[-1].status != HTTPStatus.NOT_FOUND

    eventually(is_answered, within_s=KNOWN_WITHIN_S)
    return answers[-1]


def deeds(*, speed: float, seed: int | None) -> Iterator[tuple[float, Deed]]:
    """Yield what happens, with seconds of real time from the start."""
    machines = [machine.id for machine in MACHINES]
    dice = random.Random(seed)  # noqa: S311  a demo keeps no secrets
    silence_s = SILENCE_S * speed
    life = factory_life.live(machines, STARTS, silent=factory_start.SILENT, silence_s=silence_s, dice=dice)
    orders = factory_maintenance.orders(machines, dice=random.Random(seed))  # noqa: S311  here, too
    calls = factory_calls.calls(machines, dice=random.Random(seed))  # noqa: S311  and here
    for at_s, deed in heapq.merge(life, orders, calls, key=lambda one: one[0]):
        yield at_s / speed, deed


def play(shift: Shift, *, speed: float, seconds: float, seed: int | None, show: Callable[[str], None]) -> None:
    """Do what happens when it happens, until the time is up."""
    started_s = time.monotonic()
    for at_s, deed in deeds(speed=speed, seed=seed):
        if at_s > seconds:
            return
        time.sleep(max(0.0, started_s + at_s - time.monotonic()))
        if line := shift.do(deed):
            show(line)
        for told in shift.told():
            show(told)


def main() -> int:
    """Let the factory of the running stack live; return 0 also when a person stops it."""
    options = _options()
    try:
        shift = Shift(outputs.of_running_stack())
        _set_up(Stack(shift.deployed))
        print(f"{len(MACHINES)} machines of {FACTORY} report; Ctrl-C ends it; what is sent: make inbox", flush=True)
    except (ToolFailed, OSError, BotoCoreError, ClientError) as reason:
        return _end(reason)
    try:
        play(shift, speed=options.speed, seconds=options.seconds, seed=options.seed, show=_show)
    except KeyboardInterrupt:
        print()
    except (ToolFailed, OSError, BotoCoreError, ClientError) as reason:
        return _end(f"{shift.summary()}, then: {reason}")
    print(shift.summary())
    return 0


def _set_up(stack: Stack) -> None:
    """Write down the factory, and how its people are told; print what could not be checked."""
    factory_start.register(stack)
    if unchecked := factory_contacts.ask(stack):
        print("checking the addresses of those who are told, by the codes that come there", flush=True)
    for line in factory_contacts.check(stack, unchecked):
        print(line, flush=True)
    factory_help.set_up(stack)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", usage="make demo SPEED=10", description=__doc__)
    parser.add_argument("--speed", type=float, default=1, help="how many times faster than 24 reports a minute")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which it ends")
    parser.add_argument("--seed", type=int, help="of the dice")
    options = parser.parse_args()
    if not options.speed > 0:
        parser.error("SPEED is a number greater than 0")
    return options


def _because(deed: MachineReport) -> str:
    return f" ({deed.detail})" if deed.detail else ""


def _show(line: str) -> None:
    print(f"{datetime.now():%H:%M:%S} {line}", flush=True)  # noqa: DTZ005  a person's clock


def _end(reason: object) -> int:
    print(f"make demo: {reason}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
