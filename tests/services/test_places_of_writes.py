"""Places of writes: the bound of the owner's row stands in the write's own condition, and a retry stays a retry."""

import re
from collections.abc import Callable
from itertools import count
from typing import Any, Final

import pytest

from andon.http.places import ELSEWHERE
from andon.runtime import clock
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from contract.places import MOST_FACTORIES_OF_LINES, TOO_MANY
from services.equipment.metadata import EQUIPMENT
from services.equipment2.resources import MACHINE
from tests.support.samples import NOW
from tests.support.services import versions
from tests.support.services.machines import PUT as PUT2
from tests.support.services.reports import AT, REPORT
from tests.support.services.versions import DELETE, LOCATION, PUT, ROLLBACK, delete, equipment, reap, tag

MANY: Final = "POST /states"

Place = tuple[str, str, str]
Write = Callable[..., Answer]

HERE: Final = ("Acme", "gdl-1", "line-3")
THERE: Final = ("Beta", "mty-1", "line-9")

AT_HERE: Final = ("at:Acme", "at:gdl-1", "at:gdl-1:line-3")

_ticks = count(NOW + 1000, 1000)


@pytest.fixture(autouse=True)
def ticking(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001  it comes first
    """Let time pass: else a first write is refused for its time, and the row that is read then decides."""
    monkeypatch.setattr(clock, "now_ms", lambda: next(_ticks))


def body_of(place: Place, name: str = "press") -> dict[str, Any]:
    company, factory, line = place
    return {**equipment(name), "factoryId": factory, "lineId": line, "location": LOCATION | {"company": company}}


def machine_of(place: Place, name: str = "press") -> dict[str, Any]:
    body = body_of(place, name)
    return {**body, "levels": [{"level": "company", "name": place[0]}, {"level": "hall", "name": "3"}]} | {
        "location": None
    }


def put(
    loop: Loop, equipment_id: str, place: Place, *groups: str, if_match: int | None = None, name: str = "press"
) -> Answer:
    body = body_of(place, name)
    return loop.request(PUT, path={"id": equipment_id}, body=body, headers=tag(if_match), groups=["operator", *groups])


def put2(
    loop: Loop, equipment_id: str, place: Place, *groups: str, if_match: int | None = None, name: str = "press"
) -> Answer:
    body = {key: value for key, value in machine_of(place, name).items() if key != "location"}
    return loop.request(PUT2, path={"id": equipment_id}, body=body, headers=tag(if_match), groups=["operator", *groups])


SIDES: Final = pytest.mark.parametrize("write", [put, put2], ids=["v1", "v2"])


@SIDES
@pytest.mark.parametrize("group", AT_HERE)
def test_who_is_there_registers_and_changes_what_is_there_by_the_write_alone(
    loop: Loop, equipment_id: str, wire: Wire, write: Write, group: str
) -> None:
    assert write(loop, equipment_id, HERE, group).status == 201
    assert write(loop, equipment_id, HERE, group, if_match=1, name="better").status == 200
    assert {*wire.operations} == {"TransactWriteItems"}

    assert write(loop, equipment_id, HERE, group, if_match=1, name="worse").status == 412


@SIDES
@pytest.mark.parametrize("group", AT_HERE)
@pytest.mark.parametrize("if_match", [None, 1, 2, 7])
def test_who_guesses_the_version_of_what_is_elsewhere_does_not_take_it_over(
    loop: Loop, equipment_id: str, write: Write, group: str, if_match: int | None
) -> None:
    write(loop, equipment_id, THERE)
    write(loop, equipment_id, THERE, if_match=1, name="theirs")
    before = loop.rows("EQUIPMENT_TABLE"), loop.rows("EQUIPMENT2_TABLE")

    answer = write(loop, equipment_id, HERE, group, if_match=if_match)

    assert (answer.status, answer.body["detail"]) == (403, ELSEWHERE)
    assert "errors" not in answer.body
    assert (loop.rows("EQUIPMENT_TABLE"), loop.rows("EQUIPMENT2_TABLE")) == before


@pytest.mark.parametrize("version", ["", "/v2"], ids=["v1", "v2"])
@pytest.mark.parametrize("route", [DELETE, ROLLBACK])
@pytest.mark.parametrize("if_match", [None, 1, 2, 7])
def test_who_deletes_or_rolls_back_what_is_elsewhere_is_told_nothing_of_its_version(
    loop: Loop, equipment_id: str, version: str, route: str, if_match: int | None
) -> None:
    (put2 if version else put)(loop, equipment_id, THERE)
    body = {"toVersion": 1} if route == ROLLBACK else None
    answers = [
        loop.request(
            route.replace("/equipment", f"{version}/equipment"),
            path={"id": one},
            body=body,
            headers=tag(if_match),
            groups=["operator", "at:gdl-1"],
        )
        for one in (equipment_id, "nobody's")
    ]

    assert [(one.status, one.body["detail"]) for one in answers] == [(403, ELSEWHERE)] * 2


@SIDES
def test_nobody_moves_a_machine_to_where_they_are_not(loop: Loop, equipment_id: str, write: Write) -> None:
    write(loop, equipment_id, HERE, *AT_HERE)

    assert write(loop, equipment_id, THERE, *AT_HERE, if_match=1).status == 403
    assert write(loop, f"{equipment_id} new", THERE, *AT_HERE).status in {400, 403}
    assert write(loop, equipment_id, THERE, *AT_HERE, "at:mty-1", if_match=1).status == 200


@SIDES
def test_a_retry_is_answered_as_the_first_time_wherever_the_machine_is_by_then(
    loop: Loop, equipment_id: str, write: Write
) -> None:
    first = write(loop, equipment_id, HERE, "at:Acme")
    write(loop, equipment_id, THERE, if_match=1)

    assert write(loop, equipment_id, HERE, "at:Acme") == first
    assert write(loop, equipment_id, HERE, "at:Acme", if_match=1).status == 403


@SIDES
def test_a_machine_that_moves_while_somebody_writes_is_not_brought_back(
    loop: Loop, equipment_id: str, wire: Wire, write: Write
) -> None:
    write(loop, equipment_id, HERE)

    wire.before("TransactWriteItems", lambda: write(loop, equipment_id, THERE, if_match=1))
    answer = write(loop, equipment_id, HERE, "at:Acme", if_match=1, name="mine")

    assert (answer.status, answer.body["detail"]) == (403, ELSEWHERE)


@pytest.mark.parametrize("version", ["", "/v2"], ids=["v1", "v2"])
@pytest.mark.parametrize("verb", ["delete", "roll back"])
def test_a_machine_that_moves_while_somebody_deletes_it_or_rolls_it_back_stays(
    loop: Loop, equipment_id: str, wire: Wire, version: str, verb: str
) -> None:
    write = put2 if version else put
    write(loop, equipment_id, HERE)
    write(loop, equipment_id, HERE, if_match=1, name="second")
    route = {"delete": DELETE, "roll back": ROLLBACK}[verb].replace("/equipment", f"{version}/equipment")
    body = {"toVersion": 1} if verb == "roll back" else None

    wire.before("TransactWriteItems", lambda: write(loop, equipment_id, THERE, if_match=2))
    answer = loop.request(
        route, path={"id": equipment_id}, body=body, headers=tag(2), groups=["operator", "at:gdl-1:line-3"]
    )

    assert (answer.status, answer.body["detail"]) == (403, ELSEWHERE)


def test_nobody_rolls_back_to_where_they_are_not(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id, THERE)
    put(loop, equipment_id, HERE, if_match=1)
    put(loop, equipment_id, HERE, if_match=2, name="third")

    def roll_back(to: int) -> Answer:
        return versions.roll_back(loop, equipment_id, to, if_match=3, groups=["operator", "at:gdl-1"])

    assert roll_back(1).status == 403
    assert roll_back(9).status == 404  # of a machine of one's own one may know
    assert roll_back(2).status == 200


@SIDES
@pytest.mark.parametrize("reaped", [False, True], ids=["tombstone", "history alone"])
def test_nobody_takes_over_the_past_of_what_was_deleted_elsewhere(
    loop: Loop, equipment_id: str, write: Write, *, reaped: bool
) -> None:
    write(loop, equipment_id, THERE)
    route = DELETE if write is put else DELETE.replace("/equipment", "/v2/equipment")
    assert loop.request(route, path={"id": equipment_id}, headers=tag(1)).status == 204
    if reaped:
        _reap(equipment_id, EQUIPMENT if write is put else MACHINE)

    for if_match in (None, 2):
        assert write(loop, equipment_id, HERE, "at:Acme", if_match=if_match).status == 403
    assert write(loop, equipment_id, THERE, "at:mty-1").status == 201


def _reap(equipment_id: str, resource: Any) -> None:  # noqa: ANN401
    resource.table.delete(resource.key_of(equipment_id))


def test_what_was_deleted_here_is_gone_for_who_is_here_and_elsewhere_for_others(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id, HERE)
    delete(loop, equipment_id, if_match=1)

    assert versions.get(loop, equipment_id, groups=["operator", "at:Acme"]).status == 404
    assert versions.get(loop, equipment_id, groups=["operator", "at:Beta"]).status == 403
    reap(equipment_id)
    assert versions.get(loop, equipment_id, groups=["operator", "at:Acme"]).status == 403


def test_an_audit_is_checked_in_the_transaction_that_records_it(loop: Loop, equipment_id: str, wire: Wire) -> None:
    put(loop, equipment_id, HERE)
    of_auditor = ["auditor", "at:gdl-1:line-3"]

    assert versions.audit(loop, equipment_id, groups=of_auditor).status == 201
    wire.requests.clear()
    wire.before("TransactWriteItems", lambda: put(loop, equipment_id, THERE, if_match=1))
    answer = versions.audit(loop, equipment_id, "failed", if_match=1, groups=of_auditor)

    assert (answer.status, answer.body["detail"]) == (403, ELSEWHERE)
    assert "GetItem" not in wire.operations


def report(loop: Loop, equipment_id: str, *groups: str, name: str = "somebody") -> Answer:
    path = {"id": equipment_id, "timestamp": AT}
    return loop.request(REPORT, path=path, body={"state": "NORMAL"}, groups=groups, name=name)


@pytest.mark.parametrize("group", AT_HERE)
def test_reports_of_whoever_is_limited_are_for_registered_machines_there(
    loop: Loop, equipment_id: str, wire: Wire, group: str
) -> None:
    mine, theirs, nobodys = (f"{equipment_id}-{name}" for name in ("mine", "theirs", "nobodys"))
    put(loop, mine, HERE)
    put(loop, theirs, THERE)
    wire.requests.clear()

    def post(*ids: str, groups: tuple[str, ...] = ("operator", group)) -> Answer:
        reports = [{"equipmentId": one, "state": "NORMAL", "timestamp": AT} for one in ids]
        return loop.request(MANY, body=reports, groups=groups)

    assert post(mine).status == 202
    assert post(theirs).body == post(nobodys).body
    assert [error["field"] for error in post(mine, theirs, mine, nobodys).body["errors"]] == [
        "body.1.equipmentId",
        "body.3.equipmentId",
    ]
    assert wire.operations.count("PutEvents") == 1
    assert [report(loop, one, "operator", group).status for one in (mine, theirs, nobodys)] == [201, 403, 403]


@pytest.mark.parametrize("group", ["device", "gateway"])
def test_places_limit_a_device_and_a_gateway_besides_their_own_rule(loop: Loop, equipment_id: str, group: str) -> None:
    put(loop, equipment_id, HERE)
    name = equipment_id if group == "device" else "gdl-1"

    assert report(loop, equipment_id, group, "at:gdl-1:line-4", name=name).status == 403
    assert report(loop, equipment_id, group, "at:gdl-1:line-3", name=name).status == 201
    assert report(loop, equipment_id, group, "at:gdl-1", name="another").status == 403
    delete(loop, equipment_id, if_match=1)
    assert report(loop, equipment_id, group, "at:gdl-1", name=name).status == 403


def test_a_name_with_a_colon_is_no_place(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id, ("x:y", "gdl:1", "z"))

    for group in ("at:gdl:1", "at:gdl:1:z", "at:x:y", "at:gdl%3A1", "at:x%3Ay"):
        assert versions.get(loop, equipment_id, groups=["operator", group]).status == 403
        assert put(loop, equipment_id, ("x:y", "gdl:1", "z"), group, if_match=1, name="mine").status == 403


def test_names_are_compared_as_they_are_stored_and_spaces_are_encoded(loop: Loop, equipment_id: str) -> None:
    place = ("Acme Co\u0301", "fa\u0301b", "line 3")

    for group in ("at:Acme%20Co\u0301", "at:Acme%20C\u00f3", "at:fa\u0301b", "at:f\u00e1b:line%203"):
        assert put(loop, f"{equipment_id}{len(group)}{group[-1]}", place, group).status == 201
    assert put(loop, f"{equipment_id}-x", place, "at:Acme").status == 403


OPERATORS: Final = re.compile(r"AND|OR|IN|contains|attribute_\w+|=|<>|<")


@pytest.mark.parametrize("number", [1, 99])
@SIDES
def test_whoever_is_in_as_many_groups_as_cognito_has_still_writes(
    loop: Loop, equipment_id: str, wire: Wire, write: Write, number: int
) -> None:
    """An expression has 300 operators at most: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html."""
    lines = min(number // 2, MOST_FACTORIES_OF_LINES)
    groups = [*(f"at:other-{one}" for one in range(number - lines)), *(f"at:f-{one}:1" for one in range(lines))]

    assert write(loop, equipment_id, HERE, "at:Acme", *groups).status == 201
    assert write(loop, equipment_id, HERE, "at:Acme", *groups, if_match=1, name="new").status == 200
    written = wire.requests[-1].parameters["TransactItems"][0]["Update"]["ConditionExpression"]
    assert len(OPERATORS.findall(written)) <= 300
    assert not re.search(r"\(\(|\)\)(?! |$)", written)  # DynamoDB refuses parentheses around parentheses


def test_who_is_at_lines_of_too_many_factories_is_told_so(loop: Loop, equipment_id: str) -> None:
    groups = [f"at:f-{one}:line" for one in range(MOST_FACTORIES_OF_LINES + 1)]

    answer = put(loop, equipment_id, HERE, "at:Acme", *groups)

    assert (answer.status, answer.body["detail"]) == (409, TOO_MANY)


CHAIN: Final = {"id": "errors", "on": ["ERROR"], "steps": [{"after": 5, "tell": "op-7001", "urgency": "high"}]}
SHIFT: Final = {"name": "night", "days": ["mon"], "from": "22:00", "to": "06:00", "operators": ["op-7001"]}
STAFF: Final = {"operators": ["op-7000"], "supervisor": "op-7000"}
OVERRIDE: Final = {"from": "2026-12-24T22:00", "to": "2026-12-25T06:00", "role": "operator", "person": "op-7001"}
LOG: Final = "/equipment/{id}/logs/{state}/{timestamp}"
NAMING: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "an operator of a roster": ("PUT /factories/{factoryId}/roster", {**STAFF, "operators": ["op-7000", "op-7001"]}),
    "a supervisor": ("PUT /factories/{factoryId}/roster", {**STAFF, "supervisor": "op-7001"}),
    "a manager": ("PUT /factories/{factoryId}/roster", {**STAFF, "manager": "op-7001"}),
    "a shift": ("PUT /factories/{factoryId}/roster", {**STAFF, "shifts": [SHIFT]}),
    "a shift's supervisor": (
        "PUT /factories/{factoryId}/roster",
        {**STAFF, "shifts": [{**SHIFT, "operators": ["op-7000"], "supervisor": "op-7001"}]},
    ),
    "an override": ("PUT /factories/{factoryId}/roster", {**STAFF, "overrides": [OVERRIDE]}),
    "a chain": ("PUT /factories/{factoryId}/chains", {"chains": [CHAIN]}),
    "an assignment": (f"PUT {LOG}/assignment", {"operator": "op-7001"}),
    "an escalation": (f"PUT {LOG}/escalation", {"supervisor": "op-7001"}),
    "a crew's lead": (f"PUT /v2{LOG}/assignment", {"crew": {"lead": "op-7001", "members": ["op-7000"]}}),
    "a crew's member": (f"PUT /v2{LOG}/assignment", {"crew": {"lead": "op-7000", "members": ["op-7001"]}}),
}


@pytest.mark.parametrize("named", NAMING)
def test_who_is_limited_names_people_whom_the_directory_has_at_their_places(equipment_id: str, named: str) -> None:
    """A message goes to whoever is named: of people elsewhere, and of ids that nobody has, nothing is written."""
    route, body = NAMING[named]
    groups = ["supervisor", "at:gdl-1"]
    with Loop() as loop:
        put(loop, equipment_id, HERE)
        register_person(loop, "op-7000", "gdl-1")
        loop.run()

        def name() -> Answer:
            path = {"id": equipment_id, "factoryId": "gdl-1", "state": "ERROR", "timestamp": AT}
            asked = {one: value for one, value in path.items() if f"{{{one}}}" in route}
            return loop.request(route, path=asked, body=body, groups=groups)

        before = [loop.rows(table) for table in ("DISPATCH_TABLE", "DISPATCH2_TABLE")]
        unknown = name()
        register_person(loop, "op-7001", "mty-1")
        loop.run()
        elsewhere, kept = name(), [loop.rows(table) for table in ("DISPATCH_TABLE", "DISPATCH2_TABLE")]
        register_person(loop, "op-7001", "gdl-1", if_match=1)
        loop.run()

        assert (unknown.status, unknown.body["detail"]) == (403, ELSEWHERE)
        assert elsewhere == unknown
        assert [[row for row in rows if "op-7001" not in str(row.get("pk"))] for rows in kept] == before
        assert name().status == 201


def test_who_is_limited_names_themselves_and_people_of_where_the_machine_is_and_who_is_everywhere_anybody(
    equipment_id: str,
) -> None:
    with Loop() as loop:
        put(loop, equipment_id, HERE)
        register_person(loop, "op-7100", "gdl-1")
        loop.run()

        def assign(operator: str, number: int, *groups: str) -> int:
            path = {"id": equipment_id, "state": "ERROR", "timestamp": f"2020-04-24T14:50:00.{number:03}Z"}
            body, route = {"operator": operator}, f"PUT {LOG}/assignment"
            return loop.request(route, path=path, body=body, groups=["supervisor", *groups], name="op-7102").status

        for number, group in enumerate(AT_HERE):
            assert assign("op-7100", number, group) == 201
            assert assign("op-7102", 10 + number, group) == 201  # oneself
            assert assign("op-7101", 20 + number, group) == 403
        assert assign("op-7101", 30) == 201


def register_person(loop: Loop, person_id: str, factory_id: str, *, if_match: int | None = None) -> None:
    body = {"name": person_id, "factoryId": factory_id}
    answer = loop.request("PUT /people/{id}", path={"id": person_id}, body=body, headers=tag(if_match))
    assert answer.status in {200, 201}
