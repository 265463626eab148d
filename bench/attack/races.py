"""Many writers of one thing at the same moment: one wins, and everybody is told the truth."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from threading import Barrier
from typing import Final

from andon.tools.stack.api import HttpResponse
from bench.attack import operations
from bench.attack.operations import BADGE, Operation, members, put
from bench.attack.target import AttackTarget
from bench.attack.wire import RawRequest

PART: Final = "races"
WRITERS: Final = 4  # each may cost the emulator a new worker
STATES: Final = "NORMAL", "WARNING1", "WARNING2", "ERROR"
ONE_WINS: Final = {HTTPStatus.OK: 1, HTTPStatus.PRECONDITION_FAILED: WRITERS - 1}
ONE_IS_FIRST: Final = {HTTPStatus.CREATED: 1, HTTPStatus.CONFLICT: WRITERS - 1}
NAMES: Final = "id", "factoryId"


def attack(target: AttackTarget, *, rounds: int) -> None:
    """Let writers race for everything that has a version, and for the same moment of a machine."""
    for number in range(rounds):
        name = f"raced-90{number}"
        machine = f"{operations.OURS}{name}"
        target.ask("PUT /equipment/{id}", {"id": machine})
        for operation in target.operations:
            if operation.method == "PUT" and operation.of("header"):
                _for_a_version(target, operation, name)
        # Another machine: the view shows a log that somebody was assigned to, whether or not it was reported.
        _for_a_moment(target, f"{machine}-at-once", operations.now())


def at_once(do: Callable[[int], HttpResponse]) -> list[HttpResponse]:
    """Let each writer do something, by number, all at the same time."""
    start = Barrier(WRITERS)

    def run(number: int) -> HttpResponse:
        start.wait()
        return do(number)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, range(WRITERS)))


def _for_a_version(target: AttackTarget, operation: Operation, name: str) -> None:
    path = {one.name: operations.of_ours(one.schema, name) for one in operation.of("path") if one.name in NAMES}
    first = operation.request(path)
    made = target.send(first)
    tag = made.headers.get("etag") or target.send(RawRequest("GET", first.target)).headers.get("etag", '"1"')
    changes = [_changed(operation, path, number).with_header("if-match", tag) for number in range(WRITERS)]
    answers = at_once(lambda number: target.send(changes[number]))
    held = Counter(answer.status for answer in answers) == ONE_WINS
    _count(target, "the same If-Match at once", "not one 200 and else 412", changes[0], answers, held=held)


def _for_a_moment(target: AttackTarget, machine: str, timestamp: str) -> None:
    reports = [target.report(machine, state, timestamp) for state in STATES]
    answers = at_once(lambda number: target.send(reports[number]))
    held = Counter(answer.status for answer in answers) == ONE_IS_FIRST
    _count(target, "other states of the same moment", "not one 201 and else 409", reports[0], answers, held=held)
    for state, answer in zip(STATES, answers, strict=True):
        if answer.status == HTTPStatus.CREATED:
            target.acknowledged[machine][timestamp] = state


def _count(
    target: AttackTarget, kind: str, effect: str, request: RawRequest, answers: list[HttpResponse], *, held: bool
) -> None:
    statuses = ", ".join(str(answer.status) for answer in answers)
    target.record.expect(PART, kind, effect, held=held, seen=f"{WRITERS} at once, as {request.curl} -> {statuses}")


def _changed(operation: Operation, path: dict[str, str], number: int) -> RawRequest:
    """Return a change of the first text of a body, which may be a person's id, to what no sample says."""
    content = operation.content()
    texts = (place for place, schema in members(operation.body or {}, content) if schema.get("type") == "string")
    return operation.request(path, content=put(content, next(texts), f"{BADGE}8{number:02}"))
