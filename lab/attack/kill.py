"""Lambda workers that die at any moment, under load: what was acknowledged is there afterwards."""

import os
import random
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Final

from andon.runtime import times
from andon.tools.stack import processes
from lab.attack import operations, queues
from lab.attack.target import AttackTarget
from lab.attack.wire import side_by_side

PART: Final = "kill -9"
EVERY_S: Final = 0.3
REPORTS_A_KILL: Final = 20  # each costs the emulator a cold start
IMPATIENT_S: Final = 10
WITHIN_S: Final = 120
STATE: Final = "WARNING1"
MACHINES: Final = 4
CLIENTS: Final = 4
MARK: Final = "ministack-lambda-"  # in the path of the script that each worker runs

Report = tuple[str, str]
"""Machine and time."""


def attack(target: AttackTarget, *, reports: int, dice: random.Random) -> None:
    """Kill a worker every now and then while machines report."""
    if not started_here():
        target.record.notes.append("kill -9: not tried, for the emulator was not started by this run")
        return
    begin_ms, name = times.to_ms(operations.now()), f"{operations.OURS}killed"
    sent = [(f"{name}-{number % MACHINES}", times.to_utc(begin_ms - number)) for number in range(reports)]
    with queues.impatient(target.stack, IMPATIENT_S):
        taken, killed = _report_while_workers_die(target, sent, dice)
        target.drained(within_s=WITHIN_S)
    # A message whose workers were killed as often as it may be tried is a dead letter, which an operator puts back.
    redriven = queues.redrive(target.stack)
    target.drained(within_s=WITHIN_S)
    for machine, at in sent:
        reports_of = target.acknowledged if (machine, at) in taken else target.unanswered
        reports_of[machine][at] = STATE
    _compare(target, taken)
    target.record.notes.append(
        f"kill -9: {killed} workers, {len(taken)} of {reports} reports acknowledged; {redriven} dead letters put back"
    )


def started_here() -> list[int]:
    """List the emulator's workers that descend from this process: nobody else's is ever ended."""
    parents = dict(_parents())

    def descends(pid: int) -> bool:
        return parents.get(pid) == os.getpid() or (pid in parents and descends(parents[pid]))

    return [pid for pid in parents if descends(pid) and MARK in processes.command_line(pid)]


def _parents() -> Iterator[tuple[int, int]]:
    """Yield each process with its parent."""
    if not Path("/proc/self/stat").exists():  # macOS
        listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=True, capture_output=True, text=True).stdout
        yield from ((int(pid), int(parent)) for pid, parent in map(str.split, listed.splitlines()))
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            yield int(stat.parent.name), int(stat.read_text(errors="replace").rpartition(")")[2].split()[1])


def _report_while_workers_die(target: AttackTarget, sent: list[Report], dice: random.Random) -> tuple[set[Report], int]:
    """Return the reports that were acknowledged, and how many workers were killed."""
    over, killed = threading.Event(), list[int]()

    def kill() -> None:
        while len(killed) < len(sent) / REPORTS_A_KILL and not over.wait(EVERY_S):
            if alive := started_here():
                killed.append(dice.choice(alive))
                with suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    try:
        answers = side_by_side(lambda one: target.send(target.report(one[0], STATE, one[1])), sent, clients=CLIENTS)
    finally:
        over.set()
        killer.join()
    taken = {one for one, answer in zip(sent, answers, strict=True) if answer.status == HTTPStatus.CREATED}
    return taken, len(killed)


def _compare(target: AttackTarget, taken: set[Report]) -> None:
    """Look for each acknowledged report where it was written; the views are compared at the end."""
    machines = {machine for machine, _ in taken}
    there = {one: {row["timestamp"] for row in target.items("GET /equipment/{id}/states", id=one)} for one in machines}
    for machine, at in sorted(taken):
        effect, seen = "an acknowledged report is gone", target.report(machine, STATE, at).curl
        target.record.expect(PART, "workers that die", effect, held=at in there[machine], seen=seen)
