"""Lambda workers that die at any moment, under load: what was acknowledged is there afterwards."""

import random
import threading
from http import HTTPStatus
from typing import Final

from andon.runtime import times
from bench.attack import examples, queues, workers
from bench.attack.target import Target
from bench.attack.wire import Request, side_by_side

PART: Final = "kill -9"
KIND: Final = "workers that die"
REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"
EVERY_S: Final = 0.3
REPORTS_A_KILL: Final = 20  # each costs the emulator a cold start
IMPATIENT_S: Final = 10
WITHIN_S: Final = 120
STATE: Final = "WARNING1"
MACHINES: Final = 4
CLIENTS: Final = 4


def attack(target: Target, *, reports: int, dice: random.Random) -> None:
    """Kill a worker every now and then while machines report."""
    if not workers.started_here():
        target.record.notes.append("kill -9: not tried, for the emulator was not started by this run")
        return
    over, killed = threading.Event(), list[int]()

    def kill() -> None:
        while len(killed) < reports / REPORTS_A_KILL and not over.wait(EVERY_S):
            alive = workers.started_here()
            if alive:
                killed.append(dice.choice(alive))
                workers.kill(killed[-1])

    begin_ms = times.to_ms(examples.now())
    requests = [_report(target, n, begin_ms) for n in range(reports)]
    killer = threading.Thread(target=kill, daemon=True)
    with queues.impatient(target.stack, IMPATIENT_S):
        killer.start()
        try:
            answers = side_by_side(target.send, requests, clients=CLIENTS)
        finally:
            over.set()
            killer.join()
        queues.drained(target.stack, within_s=WITHIN_S)
    # A message whose workers were killed as often as it may be tried is a dead letter, which an operator puts back.
    redriven = queues.redrive(target.stack)
    queues.drained(target.stack, within_s=WITHIN_S)
    taken = list[Request]()
    for request, answer in zip(requests, answers, strict=True):
        is_taken = answer.status == HTTPStatus.CREATED
        reports_of = target.acknowledged if is_taken else target.unanswered
        reports_of[request.path["id"]][request.path["timestamp"]] = STATE
        taken += [request] if is_taken else []
    _compare(target, taken)
    target.record.notes.append(
        f"kill -9: {len(killed)} workers, {len(taken)} of {reports} reports acknowledged; "
        f"{redriven} dead letters put back"
    )


def _report(target: Target, number: int, begin_ms: int) -> Request:
    path = {"id": f"{examples.OURS}killed-{number % MACHINES}", "timestamp": times.to_utc(begin_ms - number)}
    return examples.request(target.operation(REPORT), path, content={"state": STATE})


def _compare(target: Target, taken: list[Request]) -> None:
    """Look for each acknowledged report where it was written; the views are compared at the end."""
    machines = sorted({request.path["id"] for request in taken})
    there = {m: {one["timestamp"] for one in target.items("GET /equipment/{id}/states", id=m)} for m in machines}
    for request in taken:
        held = request.path["timestamp"] in there[request.path["id"]]
        target.record.expect(PART, KIND, "an acknowledged report is gone", held=held, seen=request.curl)
