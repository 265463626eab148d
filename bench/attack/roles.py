"""Every route with every group: it is let in if and only if its function says so."""

from http import HTTPStatus
from typing import Final

from bench.attack.operations import OURS, Operation, members, put
from bench.attack.target import AttackTarget
from bench.attack.wire import RawRequest, side_by_side
from contract import groups

PART: Final = "roles"
MACHINE: Final = "id", "equipmentId"


def attack(target: AttackTarget) -> None:
    """Call each route as each group, and as a device or a gateway that speaks of another machine."""
    _register_for_the_gateway(target)
    pairs = [(operation, role) for operation in target.operations for role in groups.ALL]
    calls = [(operation, role, request_about(operation, role)) for operation, role in pairs]
    answers = side_by_side(lambda call: target.send(call[2], call[1]), calls, clients=target.clients)
    for (operation, role, request), answer in zip(calls, answers, strict=True):
        effects = target.judge.effects(operation, answer)
        refused = answer.status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}
        if refused == (role in operation.groups):
            effects.append(f"{role} is {'refused' if refused else 'let in'} at {operation.name}")
        target.note(PART, "a route and a group", request, answer, effects)
    _another_machine(target)


def _register_for_the_gateway(target: AttackTarget) -> None:
    """Register the machine that the gateway may speak of: one in the factory that it is named like."""
    registration = target.operation("PUT /equipment/{id}")
    content = put(registration.content(), ("factoryId",), groups.GATEWAY)
    request = registration.request({"id": groups.GATEWAY}, content=content)
    answer = target.send(request, groups.OPERATOR)
    target.note(PART, "a machine for the gateway", request, answer, [])


def request_about(operation: Operation, machine: str) -> RawRequest:
    """Build a good request about a machine: a role may speak of the one that it is named like."""
    path = {"id": machine} if operation.path.startswith("/equipment/") else {}
    content = operation.content()
    for place, _ in members(operation.body or {}, content):
        if place[-1] in MACHINE:
            content = put(content, place, machine)
    return operation.request(path, content=content)


def _another_machine(target: AttackTarget) -> None:
    """Let a device speak for a machine that it is not, and a gateway for one that is not in its factory."""
    asked = [(one, role) for one in target.operations for role in (groups.DEVICE, groups.GATEWAY) if role in one.groups]
    for operation, role in asked:
        request = request_about(operation, f"{OURS}another")
        answer = target.send(request, role)
        effects = [] if answer.status == HTTPStatus.FORBIDDEN else ["let in"]
        target.note(PART, f"a {role} that speaks of another machine", request, answer, effects)
