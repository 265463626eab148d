"""Malformed events on the bus and malformed messages in queues: each is a fault or is kept, and harms nobody."""

import json
import random
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from typing import Final

from andon.tools.stack.processes import eventually
from lab.attack import events, operations, others, queues
from lab.attack.events import PoisonMessage
from lab.attack.operations import Operation
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest, side_by_side

PART: Final = "poison"
READ: Final = "reads"
BOARD: Final = "GET /equipment/{id}/board"
STATE: Final = "ERROR"
WITHIN_S: Final = 300  # beside replays and looks for drift
MOST: Final = 1_000  # faults that are read one by one
SHOWN: Final = 700
SHOWS_S: Final = 0.5


def attack(target: AttackTarget, *, count: int, dice: random.Random) -> None:
    """Put messages on the bus and straight into a queue, wait until all are dealt with, and look at what is there."""
    poisons = events.chosen(count, dice)
    urls = queues.of_listeners(target.stack)
    with queues.impatient(target.stack):
        others.attack(target, count=max(count // 12, 5))
        for number, poison in enumerate(poisons):
            _put(target, poison, urls[number % len(urls)])
        drained = target.drained(within_s=WITHIN_S)
        target.record.expect(PART, "queues run dry", "some message is tried for ever", held=drained, seen="make attack")
        _account(target, poisons)
        _read_all(target, poisons)
        _report_again(target, poisons)


def _put(target: AttackTarget, poison: PoisonMessage, url: str) -> None:
    queues.send(target.stack, url, [poison.message])
    if poison.envelope is not None:
        queues.publish(target.stack, poison.envelope, json.dumps(poison.envelope["detail"]))


def _account(target: AttackTarget, poisons: list[PoisonMessage]) -> None:
    """Each message that could not be digested is a fault; none is a dead letter, which nobody can read by the API."""
    dead = queues.dead_letters(target.stack)
    kept = list(faults(target))
    for poison in poisons:
        is_dead = any(poison.machine in body for body in dead)
        effects = {"a dead letter, not a fault": _shown(poison)} if is_dead else {}
        target.record.attempt(PART, poison.kind, effects)
    strange = sum(not any(poison.machine in body for poison in poisons) for body in dead)
    faulted = sum(any(poison.machine in fault for fault in kept) for poison in poisons)
    target.record.notes.append(
        f"poison: of {len(poisons)} messages {faulted} became faults, {len(dead) - strange} dead letters; "
        f"the others were kept or dropped"
    )


def faults(target: AttackTarget) -> Iterator[str]:
    """Read all faults through the API, each with its message."""
    one = target.operation("GET /faults/{id}")
    requests = [one.request({"id": fault["id"]}) for fault in target.items("GET /faults")[:MOST]]
    for request, answer in zip(requests, side_by_side(target.send, requests, clients=target.clients), strict=True):
        target.note(READ, one.name, request, answer, target.judge.effects(one, answer))
        yield answer.body.decode(errors="replace")


def _read_all(target: AttackTarget, poisons: list[PoisonMessage]) -> None:
    """Ask every query about every machine that was spoken of."""
    queries = [one for one in target.operations if one.method == "GET" and _of_a_machine(one)]
    asked = [(poison, query) for poison in poisons for query in queries]
    requests = [query.request({"id": poison.machine}) for poison, query in asked]
    for (poison, query), request, answer in zip(
        asked, requests, side_by_side(target.send, requests, clients=target.clients), strict=True
    ):
        effects = [f"{query.name}: {effect}" for effect in target.judge.effects(query, answer)]
        if effects:
            target.record.attempt(READ, poison.kind, {effect: _shown(poison) for effect in effects})
        else:
            target.note(READ, poison.kind, request, answer, ())


def _of_a_machine(operation: Operation) -> bool:
    return [parameter.name for parameter in operation.of("path")] == ["id"] and operation.path.startswith("/equipment/")


def _report_again(target: AttackTarget, poisons: list[PoisonMessage]) -> None:
    """Let each machine report, and look whether the board says so: what came before must not silence it."""
    board, at = target.operation(BOARD), operations.now()
    alive = [poison for poison in poisons if "deleted" not in poison.sample]
    side_by_side(lambda one: target.send(target.report(one.machine, STATE, at)), alive, clients=target.clients)
    target.drained(within_s=WITHIN_S)
    for poison in alive:
        asked = board.request({"id": poison.machine})
        shows = eventually(partial(_shows, target, asked), within_s=SHOWS_S)
        effects = {} if shows else {"the board does not show what the machine says now": _shown(poison)}
        target.record.attempt(PART, poison.kind, effects)


def _shows(target: AttackTarget, asked: RawRequest) -> bool:
    answer = target.send(asked)
    return answer.status == HTTPStatus.OK and answer.json.get("state") == STATE


def _shown(poison: PoisonMessage) -> str:
    """Show the message, cut where it is long."""
    size = len(poison.message)
    cut = poison.message if size <= SHOWN else f"{poison.message[:SHOWN]}…  # {size} characters"
    return f"a message in a queue, and an event on the bus ({poison.sample}): {cut}"
