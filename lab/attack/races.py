"""Many writers of one thing at the same moment: one wins, and everybody is told the truth."""

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from threading import Barrier
from typing import Final

from andon.tools.stack.api import HttpResponse
from andon.tools.stack.processes import eventually
from lab.attack import operations
from lab.attack.operations import Operation, another, members, put
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest

PART: Final = "races"
WRITERS: Final = 4  # each may cost the emulator a new worker
STATES: Final = "NORMAL", "WARNING1", "WARNING2", "ERROR"
ONE_WINS: Final = {HTTPStatus.OK: 1, HTTPStatus.PRECONDITION_FAILED: WRITERS - 1}
ONE_IS_FIRST: Final = {HTTPStatus.CREATED: 1, HTTPStatus.CONFLICT: WRITERS - 1}
NAMES: Final = "id", "factoryId"
WITHIN_S: Final = 60


def attack(target: AttackTarget, *, rounds: int) -> None:
    """Let writers race for everything that has a version, and for the same moment of a machine."""
    for number in range(rounds):
        name = f"raced-90{number}"
        machine = f"{operations.OURS}{name}"
        target.ask("PUT /equipment/{id}", {"id": machine})
        for operation in with_versions(target.operations):
            _for_a_version(target, operation, name)
        # Another machine: the view shows a log that somebody was assigned to, whether or not it was reported.
        _for_a_moment(target, f"{machine}-at-once", operations.now())


def with_versions(operations: Iterable[Operation]) -> list[Operation]:
    """Return those that write what has versions; what is read under another path is a deed, and done once."""
    every = [*operations]
    read = {one.path for one in every if one.method == "GET"}
    return [one for one in every if one.method == "PUT" and one.of("header") and one.path in read]


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
    made = _made(target, first)
    tag = made.headers.get("etag") or target.send(RawRequest("GET", first.target)).headers.get("etag", '"1"')
    changes = [changed(operation, path, number).with_header("if-match", tag) for number in range(WRITERS)]
    answers = at_once(lambda number: target.send(changes[number]))
    held = Counter(answer.status for answer in answers) == ONE_WINS
    _count(target, "the same If-Match at once", "not one 200 and else 412", changes[0], answers, held=held)


def _made(target: AttackTarget, first: RawRequest) -> HttpResponse:
    """Make what they race for; who makes it may hear later than we of the thing that it is about."""
    answers: list[HttpResponse] = []

    def is_known() -> bool:
        answers.append(target.send(first))
        return answers[-1].status != HTTPStatus.NOT_FOUND

    eventually(is_known, within_s=WITHIN_S)
    return answers[-1]


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


def changed(operation: Operation, path: dict[str, str], number: int) -> RawRequest:
    """Return a change of the first member of a body for which there is another value, by number."""
    content = operation.content()
    others = ((place, another(schema, number)) for place, schema in members(operation.body or {}, content))
    place, value = next((place, value) for place, value in others if value is not None)
    return operation.request(path, content=put(content, place, value))
