"""Every route about a thing that is elsewhere, or was, by callers of one place: nobody is let in, or told of it."""

from http import HTTPStatus
from typing import Final

from andon.tools.stack.processes import eventually
from contract import groups
from contract.people import PERSON_PATTERN, SUBJECT_PATTERN
from lab.attack.operations import OURS, Operation, OperationParameter, example, put
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest, side_by_side

PART: Final = "places"
HERE: Final = f"{OURS}gdl-1"  # where the examples are
ELSEWHERE: Final = f"{OURS}elsewhere"  # company, factory and machine
SOMEBODY: Final = "at-9901"
CALL: Final = "a77ac000-0000-4000-8000-000000009901"
CALL_PATTERN: Final = f"^{SUBJECT_PATTERN}$"
MATERIAL: Final = {"category": "material"}
OF_MANY: Final = "GET /board/{company}", "GET /calls/{id}/tellings"  # show what is at their own places: nothing
WITHIN_S: Final = 60
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


def attack(target: AttackTarget) -> None:
    """Register a machine and a person elsewhere, ask for them at all routes, then at their own place."""
    for request in _registrations(target):
        target.note(PART, "a thing elsewhere", request, target.send(request), [])
    eventually(
        lambda: target.ask("GET /equipment/{id}/board", {"id": ELSEWHERE}).status == HTTPStatus.OK, within_s=WITHIN_S
    )
    raised = target.operation("PUT /calls/{id}").request({"id": CALL}, content={**MATERIAL, "equipmentId": ELSEWHERE})
    eventually(lambda: target.send(raised).status < HTTPStatus.MULTIPLE_CHOICES, within_s=WITHIN_S)
    tokens = {role: target.stack.token(role, at=(HERE,)) for role in groups.ALL}
    calls = [(one, role, _elsewhere(one)) for one in target.operations for role in sorted(one.groups)[:2]]
    answers = side_by_side(lambda call: target.door.send(call[2], tokens[call[1]]), calls, clients=target.clients)
    for (operation, role, request), answer in zip(calls, answers, strict=True):
        effects = target.judge.effects(operation, answer)
        asked = f"{request.target} {request.body!r}"
        is_about = (ELSEWHERE in asked or CALL in asked) and operation.name not in OF_MANY
        if is_about and answer.status < HTTPStatus.MULTIPLE_CHOICES:
            effects.append(f"{role} is let in at {operation.name}")
        if ELSEWHERE in answer.body.decode() and ELSEWHERE not in asked:
            effects.append(f"{role} is told of elsewhere at {operation.name}")
        target.note(PART, "a route and a thing elsewhere", request, answer, effects)
    request = target.operation("PUT /equipment/{id}").request({"id": f"{OURS}here"})
    answer = target.door.send(request, tokens[groups.OPERATOR])
    effects = [] if answer.status < HTTPStatus.MULTIPLE_CHOICES else ["is refused at its own place"]
    target.note(PART, "a thing of its own", request, answer, effects)
    _name_somebody_elsewhere(target, tokens[groups.ADMIN])
    _move_here(target, tokens[groups.ADMIN])


def _name_somebody_elsewhere(target: AttackTarget, token: str) -> None:
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
            answer = target.door.send(request, token)
            effects = target.judge.effects(operation, answer)
            effects += [] if answer.status == HTTPStatus.FORBIDDEN else [f"a {kept} names somebody elsewhere"]
            target.note(PART, "somebody elsewhere who is to be told", request, answer, effects)


def _move_here(target: AttackTarget, token: str) -> None:
    """Let a machine have a past elsewhere, bring it here, and ask for that past at all routes."""
    machine = target.operation("PUT /equipment/{id}")
    there = put(put(machine.content(), ("factoryId",), ELSEWHERE), ("location", "company"), ELSEWHERE)
    _note_past(target, machine.request({"id": MOVED}, content=there))
    standing = target.operation("GET /equipment/{id}/board").request({"id": MOVED})
    eventually(lambda: target.send(standing).status == HTTPStatus.OK, within_s=WITHIN_S)
    for name, content in PAST.items():
        operation = target.operation(name)
        _note_past(target, operation.request(_path_of(operation), content=content))
    target.drained(within_s=WITHIN_S)
    _note_past(target, machine.request({"id": MOVED}).with_header("if-match", '"1"'))
    eventually(lambda: target.door.send(standing, token).status == HTTPStatus.OK, within_s=WITHIN_S)
    for operation in target.operations:
        if MOVED in (path := _path_of(operation)).values() and operation.name not in ENDS:
            request = operation.request(path)
            answer = target.door.send(request, token)
            told = [one for one in (SECRET, ELSEWHERE, SOMEBODY) if one in answer.body.decode()]
            effects = target.judge.effects(operation, answer)
            effects += [f"is told of {one} at {operation.name}, from before it came" for one in told]
            target.note(PART, "a route and the past of a thing elsewhere", request, answer, effects)


def _note_past(target: AttackTarget, request: RawRequest) -> None:
    answer = target.send(request)
    effects = [] if answer.status < HTTPStatus.MULTIPLE_CHOICES else ["is refused to whoever is everywhere"]
    target.note(PART, "a thing that has a past", request, answer, effects)


def _path_of(operation: Operation) -> dict[str, str]:
    """Return a path about the machine that moves."""
    names = {one.name: str(example(one.schema)) for one in operation.of("path")}
    is_about = "/equipment/{id}" in operation.path
    of = {"id": MOVED if is_about else MOVED_CALL, "state": "ERROR"}
    return {name: of.get(name, value) for name, value in names.items()}


def _registrations(target: AttackTarget) -> list[RawRequest]:
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
