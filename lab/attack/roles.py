"""Every route with every group: it is let in if and only if its function says so."""

import random
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from contract import groups
from lab.attack.operations import OURS, Operation, members, put
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest, side_by_side

PART: Final = "roles"
MACHINE: Final = "id", "equipmentId"
NAMED_LIKE: Final = "/equipment/", "/people/{id}/contact", "/people/{id}/tellings"
HEARD_WITHIN_S: Final = 60


def attack(target: AttackTarget, dice: random.Random | None = None) -> None:
    """Call each route as each group, and as a program that speaks of another machine.

    dice: choose, for each route, one group that is let in and one that is not, in place of all.
    """
    _register_for_programs(target)
    pairs = [(operation, role) for operation in target.operations for role in roles_of(operation, dice)]
    calls = [(operation, role, request_about(operation, role)) for operation, role in pairs]
    answers = side_by_side(lambda call: target.send(call[2], call[1]), calls, clients=target.clients)
    for (operation, role, request), answer in zip(calls, answers, strict=True):
        effects = target.judge.effects(operation, answer)
        refused = answer.status in {HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED}
        if refused == (role in operation.groups):
            effects.append(f"{role} is {'refused' if refused else 'let in'} at {operation.name}")
        target.note(PART, "a route and a group", request, answer, effects)
    _another_machine(target)


def roles_of(operation: Operation, dice: random.Random | None) -> Sequence[str]:
    """Return the groups that call a route: all, or one of either side."""
    if dice is None:
        return groups.ALL
    sides = (sorted(operation.groups), sorted({*groups.ALL} - operation.groups))
    return [dice.choice(side) for side in sides if side]


def _register_for_programs(target: AttackTarget) -> None:
    """Register the machines that programs may speak of, and let the station call: it reads that call, and no other.

    The gateway's machine is in the factory that it is named like, the station's in that of the examples.
    """
    registration = target.operation("PUT /equipment/{id}")
    content = registration.content()
    of_gateway = put(content, ("factoryId",), groups.GATEWAY)
    for machine, body in ((groups.GATEWAY, of_gateway), (groups.STATION, content)):
        request = registration.request({"id": machine}, content=body)
        target.note(PART, "a machine for a program", request, target.send(request, groups.OPERATOR), [])
    target.drained(within_s=HEARD_WITHIN_S)
    call = request_about(target.operation("PUT /calls/{id}"), groups.STATION)
    target.note(PART, "a call of the station", call, target.send(call, groups.STATION), [])


def request_about(operation: Operation, machine: str) -> RawRequest:
    """Build a good request about a machine, or how a person is told: a role may ask for the one named like it."""
    path = {"id": machine} if operation.path.startswith(NAMED_LIKE) else {}
    content = operation.content()
    for place, _ in members(operation.body or {}, content):
        if place[-1] in MACHINE:
            content = put(content, place, machine)
    return operation.request(path, content=content)


def _another_machine(target: AttackTarget) -> None:
    """Let a device and a station speak for a machine that they are not, a gateway for one in another factory."""
    programs = (groups.DEVICE, groups.STATION, groups.GATEWAY)
    asked = [(one, role) for one in target.operations for role in programs if role in one.groups]
    for operation, role in asked:
        request = request_about(operation, f"{OURS}another")
        if request == request_about(operation, role):
            continue  # it is about no machine
        answer = target.send(request, role)
        effects = [] if answer.status == HTTPStatus.FORBIDDEN else ["let in"]
        target.note(PART, f"a {role} that speaks of another machine", request, answer, effects)
