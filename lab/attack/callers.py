"""Callers who may not: each route as each group, about things of other places and machines."""

from collections.abc import Sequence
from http import HTTPStatus
from random import Random
from typing import Final

from contract import groups
from contract.people import PERSON_PATTERN, SUBJECT_PATTERN
from lab.attack.operations import OURS, Operation, OperationParameter, RawRequest, example, members, put
from lab.attack.target import Target

MACHINE: Final = ("id", "equipmentId")
NAMED_LIKE: Final = ("/equipment/", "/people/{id}/contact", "/people/{id}/tellings")
REFUSED: Final = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.UNAUTHORIZED})

HERE: Final = f"{OURS}gdl-1"  # where the examples are
ELSEWHERE: Final = f"{OURS}elsewhere"  # company, factory and machine
SOMEBODY: Final = "at-9901"
CALL: Final = "a77ac000-0000-4000-8000-000000009901"
CALL_PATTERN: Final = f"^{SUBJECT_PATTERN}$"
MATERIAL: Final = {"category": "material"}
OF_MANY: Final = "GET /board/{company}", "GET /calls/{id}/tellings"  # show what is at their own places: nothing
NOBODY: Final = "at-9902"
MOVED: Final = f"{OURS}moved"
MOVED_CALL: Final = "a77ac000-0000-4000-8000-000000009902"
SECRET: Final = f"{OURS}secret"
LOG: Final = "/equipment/{id}/logs/{state}/{timestamp}"
PAST: Final[dict[str, object]] = {
    "PUT /equipment/{id}/states/{timestamp}": {"state": "ERROR", "detail": SECRET},
    f"PUT {LOG}/assignment": {"operator": SOMEBODY},
    f"PUT {LOG}/escalation": {"supervisor": SOMEBODY},
    "PUT /equipment/{id}/audits/{part}": {"result": "passed", "auditor": SOMEBODY, "notes": SECRET},
    "PUT /equipment/{id}/instructions/{kind}": {"steps": [SECRET]},
    "PUT /equipment/{id}/maintenance/{date}/{kind}": {},
    "PUT /calls/{id}": {**MATERIAL, "equipmentId": MOVED, "text": SECRET},
}
ENDS: Final = {f"{verb} {version}/equipment/{{id}}" for verb in ("DELETE", "PUT") for version in ("", "/v2")}


def roles(target: Target, dice: Random) -> None:
    """Call each route as each group, and as a program that speaks of another machine: who may is let in, nobody else.

    To a stack each route is called as one group of either side.
    """
    _register_for_programs(target)
    for operation in target.operations:
        for role in roles_of(operation, dice if target.stack else None):
            request = request_about(operation, role)
            answer = target.send(request, role)
            effects = target.effects(operation, answer)
            if (answer.status in REFUSED) == (role in operation.groups):
                effects.append(f"{role} is {'refused' if answer.status in REFUSED else 'let in'} at {operation.name}")
            target.note("a route lets in the groups that it says, and no other", request, answer, effects)
    _another_machine(target)


def roles_of(operation: Operation, dice: Random | None) -> Sequence[str]:
    """Return the groups that call a route: all, or one of either side."""
    if dice is None:
        return groups.ALL
    sides = (sorted(operation.groups), sorted({*groups.ALL} - operation.groups))
    return [dice.choice(side) for side in sides if side]


def _register_for_programs(target: Target) -> None:
    """Register the machines that programs may speak of, and let the station call: it reads that call, and no other.

    The gateway's machine is in the factory that it is named like, the station's in that of the examples.
    """
    registration = target.operation("PUT /equipment/{id}")
    content = registration.content()
    of_gateway = put(content, ("factoryId",), groups.GATEWAY)
    for machine, body in ((groups.GATEWAY, of_gateway), (groups.STATION, content)):
        target.send(registration.request({"id": machine}, content=body), groups.OPERATOR)
    target.settle()
    target.send(request_about(target.operation("PUT /calls/{id}"), groups.STATION), groups.STATION)


def request_about(operation: Operation, machine: str) -> RawRequest:
    """Build a good request about a machine, or how a person is told: a role may ask for the one named like it."""
    path = {"id": machine} if operation.path.startswith(NAMED_LIKE) else {}
    content = operation.content()
    for place, _ in members(operation.body or {}, content):
        if place[-1] in MACHINE:
            content = put(content, place, machine)
    return operation.request(path, content=content)


def _another_machine(target: Target) -> None:
    """Let a device and a station speak for a machine that they are not, a gateway for one in another factory."""
    programs = (groups.DEVICE, groups.STATION, groups.GATEWAY)
    asked = [(one, role) for one in target.operations for role in programs if role in one.groups]
    for operation, role in asked:
        request = request_about(operation, f"{OURS}another")
        if request == request_about(operation, role):
            continue  # it is about no machine
        answer = target.send(request, role)
        effects = [] if answer.status == HTTPStatus.FORBIDDEN else [f"{role} is let in"]
        target.note("a program speaks of no other machine", request, answer, effects)


def places(target: Target, _: Random) -> None:
    """Register a machine and a person elsewhere, ask for them at all routes, then at their own place."""
    for request in _registrations(target):
        _note_past(target, request)
    target.settle()
    raised = target.operation("PUT /calls/{id}").request({"id": CALL}, content={**MATERIAL, "equipmentId": ELSEWHERE})
    _note_past(target, raised)
    calls = [(one, role, _elsewhere(one)) for one in target.operations for role in sorted(one.groups)]
    for operation, role, request in calls:
        answer = target.send(request, role, HERE)
        effects = target.effects(operation, answer)
        asked = f"{request.target} {request.body!r}"
        is_about = (ELSEWHERE in asked or CALL in asked) and operation.name not in OF_MANY
        if is_about and answer.status < HTTPStatus.MULTIPLE_CHOICES:
            effects.append(f"{role} is let in at {operation.name}")
        if ELSEWHERE in answer.body.decode() and ELSEWHERE not in asked:
            effects.append(f"{role} is told of elsewhere at {operation.name}")
        target.note("nobody is let in elsewhere, or told of it", request, answer, effects)
    request = target.operation("PUT /equipment/{id}").request({"id": f"{OURS}here"})
    answer = target.send(request, groups.OPERATOR, HERE)
    effects = [] if answer.status < HTTPStatus.MULTIPLE_CHOICES else ["is refused at its own place"]
    target.note("a caller is let in at a place of theirs", request, answer, effects)
    _name_somebody_elsewhere(target)
    _move_here(target)


def _name_somebody_elsewhere(target: Target) -> None:
    """Let whoever is called for help here be somebody elsewhere, or nobody that is known."""
    for person in (SOMEBODY, NOBODY):
        step = {"after": 5, "tell": person, "urgency": "high"}
        bodies = {
            "roster": {"operators": [person], "supervisor": person},
            "chains": {"chains": [{"id": "errors", "on": ["ERROR"], "steps": [step]}]},
        }
        for kept, content in bodies.items():
            operation = target.operation(f"PUT /factories/{{factoryId}}/{kept}")
            request = operation.request({"factoryId": HERE}, content=content)
            answer = target.send(request, groups.ADMIN, HERE)
            effects = target.effects(operation, answer)
            effects += [] if answer.status == HTTPStatus.FORBIDDEN else [f"a {kept} names somebody elsewhere"]
            target.note("nobody names people elsewhere who are to be told", request, answer, effects)


def _move_here(target: Target) -> None:
    """Let a machine have a past elsewhere, bring it here, and ask for that past at all routes."""
    machine = target.operation("PUT /equipment/{id}")
    there = put(put(machine.content(), ("factoryId",), ELSEWHERE), ("location", "company"), ELSEWHERE)
    _note_past(target, machine.request({"id": MOVED}, content=there))
    target.settle()
    for name, content in PAST.items():
        operation = target.operation(name)
        _note_past(target, operation.request(_path_of(operation), content=content))
    target.settle()
    _note_past(target, machine.request({"id": MOVED}).with_header("if-match", '"1"'))
    target.settle()
    for operation in target.operations:
        if MOVED in (path := _path_of(operation)).values() and operation.name not in ENDS:
            request = operation.request(path)
            answer = target.send(request, groups.ADMIN, HERE)
            told = [one for one in (SECRET, ELSEWHERE, SOMEBODY) if one in answer.body.decode()]
            effects = target.effects(operation, answer)
            effects += [f"is told of {one} at {operation.name}, from before it came" for one in told]
            target.note("nobody is told what was before a thing came", request, answer, effects)


def _note_past(target: Target, request: RawRequest) -> None:
    answer = target.send(request)
    effects = [] if answer.status < HTTPStatus.MULTIPLE_CHOICES else ["is refused to whoever is everywhere"]
    target.note("whoever is everywhere may", request, answer, effects)


def _path_of(operation: Operation) -> dict[str, str]:
    """Return a path about the machine that moves."""
    names = {one.name: str(example(one.schema)) for one in operation.of("path")}
    is_about = "/equipment/{id}" in operation.path
    of = {"id": MOVED if is_about else MOVED_CALL, "state": "ERROR"}
    return {name: of.get(name, value) for name, value in names.items()}


def _registrations(target: Target) -> list[RawRequest]:
    machine, person = target.operation("PUT /equipment/{id}"), target.operation("PUT /people/{id}")
    content = put(put(machine.content(), ("factoryId",), ELSEWHERE), ("location", "company"), ELSEWHERE)
    roster, chains = (target.operation(f"PUT /factories/{{factoryId}}/{kept}") for kept in ("roster", "chains"))
    return [
        machine.request({"id": ELSEWHERE}, content=content),
        person.request({"id": SOMEBODY}, content={"name": ELSEWHERE, "factoryId": ELSEWHERE}),
        roster.request({"factoryId": ELSEWHERE}),
        chains.request({"factoryId": ELSEWHERE}),
    ]


def _elsewhere(operation: Operation) -> RawRequest:
    """Return a good request about what is elsewhere."""
    content = operation.content()
    if isinstance(content, list):
        content = put(content, (0, "equipmentId"), ELSEWHERE)
    elif content and "equipmentId" in content:
        content = put(content, ("equipmentId",), ELSEWHERE)
    return operation.request({one.name: _named(one) for one in operation.of("path")}, content=content)


def _named(parameter: OperationParameter) -> str:
    if parameter.schema.get("pattern") == PERSON_PATTERN:
        return SOMEBODY
    if parameter.schema.get("pattern") == CALL_PATTERN:
        return CALL
    return ELSEWHERE if parameter.name in {"id", "factoryId", "company"} else str(example(parameter.schema))
