"""Places of lists: a caller gets what who is everywhere gets, without the rows of others; no cursor names one."""

import base64
import json
from collections.abc import Iterable
from typing import Any, Final

import pytest

from andon.http.rows_at import MOST_READS, TOO_FEW
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from demo.people import LIZ, SARA, SUE
from tests.support.services.people import put as put_person
from tests.support.services.reports import ESCALATIONS, LOGS, OPERATOR_LOGS, assign, escalate, log_path, report, staff
from tests.support.services.versions import LOCATION, equipment
from views.board.factories import MOST_FACTORIES, TOO_MANY

BOARD: Final = "GET /board/{company}"
MINE: Final = [("Acme", "gdl-1", "line-1"), ("Acme", "gdl-1", "line-2"), ("Acme", "gdl-2", "line-1")]
THEIRS: Final = [("Beta", "mty-1", "line-1"), ("Beta", "gdl-1", "line-1")]
"""A factory that two companies share is in both: whoever is at it sees both, and of each its own board."""


def place_of(number: int) -> tuple[str, str, str]:
    return [*MINE, *THEIRS][number % 5]


COUNT: Final = 40
NAMES: Final = {f"m{number:02}": place_of(number) for number in range(COUNT)}


@pytest.fixture(scope="module", autouse=True)
def machines(loop: Loop) -> None:
    """Forty machines of two companies, mixed by location, each with a log of the same two people."""
    for number, (equipment_id, (company, factory, line)) in enumerate(NAMES.items()):
        location = LOCATION | {"company": company, "city": f"city {(number * 7) % 11}"}
        body = equipment() | {"factoryId": factory, "lineId": line, "location": location}
        assert loop.request("PUT /equipment/{id}", path={"id": equipment_id}, body=body).status == 201
        at = f"2020-04-24T14:{number:02}:00.000Z"
        report(loop, equipment_id, at=at)
        assign(loop, equipment_id, LIZ, path=log_path(equipment_id, at=at))
        escalate(loop, equipment_id, SARA, path=log_path(equipment_id, at=at))
    report(loop, "nobody registered", at="2020-04-24T14:50:00.000Z")
    assign(loop, "nobody registered", LIZ, path=log_path("nobody registered", at="2020-04-24T14:50:00.000Z"))
    loop.run()


def ask(loop: Loop, route: str, path: dict[str, str], groups: Iterable[str], **query: str) -> Answer:
    return loop.request(route, path=path, query=query, groups=["operator", *groups])


def walk(loop: Loop, route: str, path: dict[str, str], groups: Iterable[str], **query: str) -> list[Any]:
    """Read a list to its end; look into each cursor on the way."""
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        answer = ask(loop, route, path, groups, **query, **cursor)
        assert answer.status == 200, answer.body
        is_whole = not groups or f"at:{path.get('company')}" in groups
        assert answer.body["items"] or not cursor or is_whole  # a cursor tells of rows of one's own, and of no others
        found += answer.body["items"]
        if "cursor" not in answer.body:
            return found
        cursor = {"cursor": answer.body["cursor"]}
        assert named_in(cursor["cursor"]) == {answer.body["items"][-1]["equipmentId"]}


def named_in(cursor: str) -> set[str]:
    """The machines that a cursor names."""
    text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    [position, _] = json.loads(text)
    return {position["EquipmentID"] if "EquipmentID" in position else position["DeviceID"]}


def is_at(equipment_id: str, groups: Iterable[str]) -> bool:
    if equipment_id not in NAMES:
        return False
    company, factory, line = NAMES[equipment_id]
    return bool({f"at:{company}", f"at:{factory}", f"at:{factory}:{line}"} & {*groups})


CALLERS: Final = [
    ("at:Acme",),
    ("at:Beta",),
    ("at:gdl-1",),
    ("at:gdl-2", "at:mty-1"),
    ("at:gdl-1:line-2",),
    ("at:gdl-1:line-1", "at:gdl-2"),
    ("at:gdl-1:line-9", "at:nowhere"),
    ("at:Acme", "at:mty-1:line-1"),
    ("at:",),
]

LISTS: Final = [
    (OPERATOR_LOGS, {"operator": LIZ}),
    (ESCALATIONS, {"supervisor": SARA}),
    (BOARD, {"company": "Acme"}),
    (BOARD, {"company": "Beta"}),
    (BOARD, {"company": "Gamma"}),
]


@pytest.mark.parametrize("limit", ["1", "2", "7", "1000"])
@pytest.mark.parametrize("groups", CALLERS, ids="+".join)
@pytest.mark.parametrize(("route", "path"), LISTS, ids=lambda one: "" if isinstance(one, dict) else one)
def test_a_list_is_that_of_everywhere_without_what_is_elsewhere(
    loop: Loop, route: str, path: dict[str, str], groups: tuple[str, ...], limit: str
) -> None:
    everything = walk(loop, route, path, ())

    found = walk(loop, route, path, groups, limit=limit)

    assert found == [item for item in everything if is_at(item["equipmentId"], groups)]


@pytest.mark.parametrize("groups", CALLERS, ids="+".join)
@pytest.mark.parametrize("location", ["MX", "MX/West/JAL/Guadalajara/city 3", "MX/West/JAL", "AR"])
def test_a_place_within_a_company_is_listed_alike(loop: Loop, groups: tuple[str, ...], location: str) -> None:
    path = {"company": "Acme"}
    everything = walk(loop, BOARD, path, (), location=location)

    found = walk(loop, BOARD, path, groups, location=location, limit="2")

    assert found == [item for item in everything if is_at(item["equipmentId"], groups)]


def test_a_cursor_of_somebody_elsewhere_leads_to_ones_own_rows_only(loop: Loop) -> None:
    for route, path in LISTS[:4]:
        cursor = ask(loop, route, path, (), limit="3").body["cursor"]

        answer = ask(loop, route, path, ("at:gdl-1:line-2",), cursor=cursor)

        assert answer.status == 200
        assert all(is_at(item["equipmentId"], ("at:gdl-1:line-2",)) for item in answer.body["items"])


def test_who_is_everywhere_pays_for_no_read_of_whereabouts(loop: Loop, wire: Wire) -> None:
    for route, path in LISTS[:2]:
        ask(loop, route, path, ())
        assert wire.operations == ["Query"]
        wire.requests.clear()
    ask(loop, BOARD, {"company": "Acme"}, ())
    assert wire.operations == ["Query", "BatchGetItem"]
    wire.requests.clear()
    ask(loop, LOGS, {"id": "m01"}, ())
    assert wire.operations == ["Query"]


def test_who_is_limited_pays_for_one_more_request(loop: Loop, wire: Wire) -> None:
    ask(loop, LOGS, {"id": "m01"}, ("at:Acme",))
    assert wire.operations == ["GetItem", "Query"]
    wire.requests.clear()
    ask(loop, OPERATOR_LOGS, {"operator": LIZ}, ("at:Acme",))
    assert wire.operations == ["Query", "BatchGetItem"]


def test_where_too_little_is_ones_own_it_is_said_and_not_how_much_is_anothers(loop: Loop, wire: Wire) -> None:
    page = {"DeviceID": {"S": "m03"}, "State#Date": {"S": "WARNING1#2020"}, "Operator": {"S": LIZ}, "Date": {"S": "2"}}
    wire._reply_to("Query", lambda _: {"Items": [page], "LastEvaluatedKey": page}, 1000)  # noqa: SLF001

    answer = ask(loop, OPERATOR_LOGS, {"operator": LIZ}, ("at:Acme",))

    assert (answer.status, answer.body["detail"]) == (409, TOO_FEW)
    assert wire.operations.count("Query") == MOST_READS


def test_who_is_at_too_many_factories_is_told_so(loop: Loop) -> None:
    groups = [f"at:f{number}" for number in range(MOST_FACTORIES + 1)]

    answer = ask(loop, BOARD, {"company": "Acme"}, groups)

    assert (answer.status, answer.body["detail"]) == (409, TOO_MANY)
    assert ask(loop, BOARD, {"company": "Acme"}, [*groups, "at:Acme"]).status == 200
    assert ask(loop, BOARD, {"company": "Acme"}, groups[1:]).status == 200


@pytest.mark.parametrize(("route", "path"), [*LISTS[:4], ("GET /equipment/{id}/board", {"id": "m03"})])
@pytest.mark.usefixtures("pauses")
def test_waiting_for_a_write_elsewhere_tells_nothing_of_it(loop: Loop, route: str, path: dict[str, str]) -> None:
    """A token is forged easily: that of a machine elsewhere is as that of one that nobody knows."""
    tokens = [_token_of(loop, "m03", is_seen=True), _token_of(loop, "m08", is_seen=False)]  # both are at mty-1
    unknown = _token_of(loop, "unknown", is_seen=False)
    answers = [
        ask(loop, route, path | ({"id": one} if "id" in path else {}), ("at:gdl-2",), after=token)
        for one, token in zip(("m03", "m08", "unknown"), (*tokens, unknown), strict=True)
    ]

    assert {(one.status, json.dumps(one.body)) for one in answers} in ({(202, "null")}, _refused(answers[0]))


def _refused(answer: Answer) -> set[tuple[int, str]]:
    return {(403, json.dumps(answer.body))}


def _token_of(loop: Loop, equipment_id: str, *, is_seen: bool) -> str:
    token: str = report(loop, equipment_id, at="2020-04-24T14:59:00.000Z").headers["x-after"]
    if is_seen:
        loop.run()
    else:
        loop.new_records("EQUIPMENT_TABLE")
    return token


def test_people_are_those_of_ones_factories_and_the_erased_are_everybodys(loop: Loop) -> None:
    put_person(loop, "op-501", factory_id="gdl-1")
    put_person(loop, "op-502", factory_id="mty-1")
    put_person(loop, "op-503", factory_id="mty-1")
    assert loop.request("DELETE /people/{id}", path={"id": "op-503"}).status == 204

    def get(person_id: str, *groups: str) -> Answer:
        return loop.request("GET /people/{id}", path={"id": person_id}, groups=["operator", *groups])

    for groups in (("at:gdl-1",), ("at:gdl-1", "at:Acme")):
        assert [get(one, *groups).status for one in ("op-501", "op-502", "op-503", "op-999")] == [200, 404, 200, 404]
        assert get("op-502", *groups).body == get("op-999", *groups).body
        found = loop.request(
            "GET /people", query={"ids": "op-502,op-501,op-503,op-999"}, groups=["operator", *groups]
        ).body["items"]
        assert [one["id"] for one in found] == ["op-501", "op-503"]
    assert get("op-501", "at:gdl-1:line-1").status == 404


@pytest.mark.parametrize("group", ["at:gdl-1", "at:Acme", "at:gdl-1:line-1"])
def test_nobody_renames_moves_or_erases_a_person_elsewhere(loop: Loop, group: str) -> None:
    put_person(loop, "op-512", factory_id="mty-1")
    before = loop.rows("PEOPLE_TABLE"), loop.rows("ERASURES_TABLE")
    supervisor, privacy = ["supervisor", group], ["privacy", group]

    for if_match in (None, 1, 2):
        assert put_person(loop, "op-512", "Stolen", if_match=if_match, groups=supervisor).status == 403
        assert put_person(loop, "op-512", "x", factory_id="mty-1", if_match=if_match, groups=supervisor).status == 403
    erasing = [loop.request("DELETE /people/{id}", path={"id": one}, groups=privacy) for one in ("op-512", "op-998")]
    assert [one.status for one in erasing] == [403, 403]
    assert erasing[0].body == erasing[1].body
    assert (loop.rows("PEOPLE_TABLE"), loop.rows("ERASURES_TABLE")) == before


def test_who_is_at_a_factory_writes_down_and_erases_its_people_and_nobody_who_moves_meanwhile(
    loop: Loop, wire: Wire
) -> None:
    supervisor, privacy = ["supervisor", "at:gdl-1"], ["privacy", "at:gdl-1"]
    assert put_person(loop, "op-521", groups=supervisor).status == 201
    assert put_person(loop, "op-521", "New", if_match=1, groups=supervisor).status == 200
    assert put_person(loop, "op-521", "New", factory_id="mty-1", if_match=2, groups=supervisor).status == 403

    def move() -> None:
        assert put_person(loop, "op-521", factory_id="mty-1", if_match=2).status == 200

    wire.before("TransactWriteItems", move)
    assert loop.request("DELETE /people/{id}", path={"id": "op-521"}, groups=privacy).status == 403
    assert loop.request("DELETE /people/{id}", path={"id": "op-521"}, groups=["privacy", "at:mty-1"]).status == 204
    assert loop.request("DELETE /people/{id}", path={"id": "op-521"}, groups=privacy).status == 204
    assert put_person(loop, "op-521", groups=supervisor).status == 409


def test_who_is_at_a_factory_staffs_it_and_no_other(loop: Loop) -> None:
    for person in (LIZ, SUE, SARA):
        put_person(loop, person, factory_id="gdl-1")
    loop.run()

    assert staff(loop, "gdl-1", groups=["supervisor", "at:gdl-1"]).status == 201
    assert staff(loop, "gdl-1", groups=["supervisor", "at:Acme", "at:gdl-2"], if_match=1).status == 403
    assert (
        loop.request(
            "GET /factories/{factoryId}/roster", path={"factoryId": "gdl-1"}, groups=["operator", "at:gdl-1"]
        ).status
        == 200
    )
