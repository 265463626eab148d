"""Every route with every group: it is let in if and only if `routes.py` says so."""

from http import HTTPStatus
from typing import Any, Final

from contract import groups
from local.attack import examples
from local.attack.operations import Operation, members
from local.attack.target import Target
from local.attack.wire import Request, side_by_side

PART: Final = "roles"
MACHINE: Final = "id", "equipmentId"


def attack(target: Target) -> None:
    """Call each route as each group, and as a device that speaks of another machine."""
    pairs = [(operation, role) for operation in target.operations for role in groups.ALL]
    calls = [(operation, role, request_about(operation, role)) for operation, role in pairs]
    answers = side_by_side(lambda call: target.send(call[2], call[1]), calls)
    for (operation, role, request), answer in zip(calls, answers, strict=True):
        effects = target.judge.effects(operation, answer)
        refused = answer.status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}
        if refused == (role in operation.groups):
            effects.append(f"{role} is {'refused' if refused else 'let in'} at {operation.name}")
        target.note(PART, "a route and a group", request, answer, effects)
    _another_machine(target)


def request_about(operation: Operation, machine: str) -> Request:
    """Build a good request about a machine: a device may speak of the one that it is named like."""
    path = {"id": machine} if operation.path.startswith("/equipment/") else {}
    content = examples.body(operation)
    if operation.body is not None:
        for place, _ in members(operation.body):
            if place[-1] in MACHINE:
                content = examples.put(content, place, machine)
    return examples.request(operation, path, content=content)


def _another_machine(target: Target) -> None:
    """Let a device speak for a machine that it is not."""
    for operation in target.operations:
        if groups.DEVICE in operation.groups:
            request = request_about(operation, f"{examples.OURS}another")
            answer = target.send(request, groups.DEVICE)
            effects: list[Any] = [] if answer.status == HTTPStatus.FORBIDDEN else ["let in"]
            target.note(PART, "a device that speaks of another machine", request, answer, effects)
