"""Many writers of one thing at the same moment: one wins, and everybody is told the truth."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from threading import Barrier
from typing import Any, Final

from andon.tools.stack.api import Answer
from bench.attack import examples
from bench.attack.operations import Operation, Schema
from bench.attack.target import Target
from bench.attack.wire import Request

PART: Final = "races"
WRITERS: Final = 4  # each may cost the emulator a new worker
REPORT: Final = "PUT /equipment/{id}/states/{timestamp}"
STATES: Final = "NORMAL", "WARNING1", "WARNING2", "ERROR"
ONE_WINS: Final = {HTTPStatus.OK: 1, HTTPStatus.PRECONDITION_FAILED: WRITERS - 1}
ONE_IS_FIRST: Final = {HTTPStatus.CREATED: 1, HTTPStatus.CONFLICT: WRITERS - 1}
NAMES: Final = "id", "factoryId"


def attack(target: Target, *, rounds: int) -> None:
    """Let writers race for everything that has a version, and for the same moment of a machine."""
    for number in range(rounds):
        machine = f"{examples.OURS}raced-{number}"
        _register(target, machine)
        for operation in target.operations:
            if operation.method == "PUT" and operation.of("header"):
                _for_a_version(target, operation, machine)
        # Another machine: the view shows a log that somebody was assigned to, whether or not it was reported.
        _for_a_moment(target, f"{machine}-at-once", examples.now())


def at_once(do: Callable[[int], Answer]) -> list[Answer]:
    """Let each writer do something, by number, all at the same time."""
    start = Barrier(WRITERS)

    def run(number: int) -> Answer:
        start.wait()
        return do(number)

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, range(WRITERS)))


def _register(target: Target, machine: str) -> None:
    target.send(examples.request(target.operation("PUT /equipment/{id}"), {"id": machine}))


def _for_a_version(target: Target, operation: Operation, machine: str) -> None:
    path = {parameter.name: machine for parameter in operation.of("path") if parameter.name in NAMES}
    first = examples.request(operation, path)
    made = target.send(first)
    tag = made.headers.get("etag") or target.send(first.having(method="GET", body=None)).headers.get("etag", '"1"')
    changes = [_changed(operation, path, number).with_header("if-match", tag) for number in range(WRITERS)]
    answers = at_once(lambda number: target.send(changes[number]))
    held = Counter(answer.status for answer in answers) == ONE_WINS
    _count(target, "the same If-Match at once", "not one 200 and else 412", changes[0], answers, held=held)


def _for_a_moment(target: Target, machine: str, timestamp: str) -> None:
    path = {"id": machine, "timestamp": timestamp}
    operation = target.operation(REPORT)
    reports = [examples.request(operation, path, content={"state": state}) for state in STATES]
    answers = at_once(lambda number: target.send(reports[number]))
    held = Counter(answer.status for answer in answers) == ONE_IS_FIRST
    _count(target, "other states of the same moment", "not one 201 and else 409", reports[0], answers, held=held)
    for state, answer in zip(STATES, answers, strict=True):
        if answer.status == HTTPStatus.CREATED:
            target.acknowledged[machine][timestamp] = state


def _count(target: Target, kind: str, effect: str, request: Request, answers: list[Answer], *, held: bool) -> None:
    statuses = ", ".join(str(answer.status) for answer in answers)
    target.record.expect(PART, kind, effect, held=held, seen=f"{WRITERS} at once, as {request.curl} -> {statuses}")


def _changed(operation: Operation, path: dict[str, str], number: int) -> Request:
    schema, content = operation.body or {}, examples.body(operation)
    return examples.request(operation, path, content=_other(schema, content, number))


def _other(schema: Schema, content: Any, number: int) -> Any:  # noqa: ANN401  any JSON
    """Change the first text of a body."""
    place = next(_texts(schema), None)
    if place is None:
        raise LookupError("a body without a text")
    text = content
    for name in place:
        text = text[name]
    return examples.put(content, place, f"{text} {number}")


def _texts(schema: Schema) -> Iterator[tuple[str, ...]]:
    """Return where texts are in a body, also in the objects within it."""
    for name, member in schema.get("properties", {}).items():
        if member.get("type") == "string":
            yield (name,)
        else:
            yield from ((name, *place) for place in _texts(member))
