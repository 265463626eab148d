"""Registers the demo factory and reports its first states: most machines run, three need help."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from andon.runtime import clock, times
from andon.runtime.clock import MINUTE_MS
from andon.tools.stack.api import path_of
from andon.tools.stack.stack import Stack
from contract import groups
from contract.names import NORMAL
from demo import directory
from demo.factory import FACTORY, MACHINES, OPERATORS, SUPERVISOR, DemoMachine
from demo.factory_life import ERROR, WARNING
from demo.writing import KEPT, put

# Minutes ago -> what it reported. After 30 minutes without a report a machine is silent: one of them is meant to be.
RUNNING: Final = {28: NORMAL, 1: NORMAL}
MENDED: Final = {50: WARNING, 46: NORMAL, **RUNNING}
TROUBLED: Final = {
    "gdl-conveyor-b": {55: NORMAL, 41: WARNING, 38: ERROR, 20: ERROR, 2: ERROR},
    "gdl-oven-1": {28: NORMAL, 19: WARNING, 3: WARNING},
    "gdl-welder-2": {57: NORMAL},
}
SILENT: Final = "gdl-welder-2"
MENDED_EACH: Final = 3


class Reported(NamedTuple):
    """A state of a machine, and how many minutes ago it reported it."""

    machine: str
    state: str
    minutes: int


def begin(stack: Stack, scratch: Path) -> str:
    """Report how the factory stands, once for each emulator; return in a line what there is.

    Raises:
        Failed: something was refused.
    """
    noted = scratch / "factory"
    if not noted.exists():
        report(stack, now_ms=clock.now_ms())
        noted.touch()
    stands = "Conveyor B stands, Oven 1 warns, Welder 2 is silent"
    return f"Demo factory {FACTORY}: {len(MACHINES)} machines; at first {stands}."


def register(stack: Stack) -> None:
    """Write down who people are, who works there and what stands where; what was written down before stays.

    Raises:
        Failed: something was refused.
    """
    directory.write_down(stack)
    directory.write_down_users(stack)
    roster = {"operators": [*OPERATORS], "supervisor": SUPERVISOR}
    _put(stack, groups.SUPERVISOR, SUPERVISOR, path_of("factories", FACTORY, "roster"), roster)
    for machine in MACHINES:
        _put(stack, groups.OPERATOR, OPERATORS[0], path_of("equipment", machine.id), machine.body)


def report(stack: Stack, *, now_ms: int) -> None:
    """Report the start as the factory's gateway does, oldest first.

    Raises:
        Failed: something was refused.
    """
    for one in sorted(start(), key=lambda one: one.minutes, reverse=True):
        timestamp = times.to_utc(now_ms - one.minutes * MINUTE_MS)
        path = path_of("equipment", one.machine, "states", timestamp)
        _put(stack, groups.GATEWAY, FACTORY, path, {"state": one.state})


def start() -> Iterator[Reported]:
    """Yield what each machine reported before the demo begins."""
    for number, machine in enumerate(MACHINES):
        story = TROUBLED.get(machine.id, RUNNING if number % MENDED_EACH else MENDED)
        yield from (Reported(machine.id, state, minutes) for minutes, state in story.items())


def state_of(machine: DemoMachine) -> str:
    """Return a machine's newest state when the demo begins."""
    return min((one for one in start() if one.machine == machine.id), key=lambda one: one.minutes).state


def _put(stack: Stack, role: str, user: str, path: str, body: dict[str, Any]) -> None:
    put(stack.api(role, user), path, body, well=KEPT)
