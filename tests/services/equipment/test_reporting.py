"""A device reports for itself, a gateway for its own factory, and for no other equipment."""

from typing import Any

import pytest

from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from tests.support.services import versions
from tests.support.services.reports import AT, REPORT, STATES, told_of
from tests.support.services.versions import delete, equipment

MANY = "POST /states"


def put(loop: Loop, equipment_id: str, group: str, name: str, **parts: Any) -> Answer:  # noqa: ANN401
    path = {"id": equipment_id, "timestamp": AT}
    return loop.request(REPORT, path=path, body={"state": "NORMAL"}, **{"groups": [group], "name": name} | parts)


def post(loop: Loop, equipment_ids: list[str], group: str, name: str) -> Answer:
    reports = [{"equipmentId": one, "state": "NORMAL", "timestamp": AT} for one in equipment_ids]
    return loop.request(MANY, body=reports, groups=[group], name=name)


def register(loop: Loop, equipment_id: str, factory_id: str) -> None:
    body = equipment() | {"factoryId": factory_id}
    assert loop.request(versions.PUT, path={"id": equipment_id}, body=body).status == 201


def test_a_stolen_device_mutes_no_other_machine(loop: Loop, equipment_id: str) -> None:
    answer = put(loop, equipment_id, "device", "another")

    assert answer.status == 403
    assert answer.body["detail"] == "You may not report for this equipment."
    assert loop.request(STATES, path={"id": equipment_id}).body == {"items": []}
    assert told_of(loop, equipment_id) == []


def test_a_device_reports_for_itself_registered_or_not(loop: Loop, equipment_id: str) -> None:
    assert put(loop, equipment_id, "device", equipment_id).status == 201
    assert post(loop, [equipment_id, equipment_id], "device", equipment_id).status == 202


@pytest.mark.parametrize("name", ["", "Press-7", "press-7 ", " press-7", "press-", "press-77", "gdl-1"], ids=repr)
def test_a_name_that_is_nearly_the_id_is_another(loop: Loop, name: str) -> None:
    assert put(loop, "press-7", "device", name).status == 403


def test_a_name_is_compared_as_ids_are_stored(loop: Loop) -> None:
    assert put(loop, "m\u00e9", "device", "me\u0301").status == 201
    assert put(loop, "me\u0301", "device", "m\u00e9").status == 200


def test_one_report_for_another_machine_refuses_them_all_and_is_named_by_index(
    loop: Loop, equipment_id: str, wire: Wire
) -> None:
    answer = post(loop, [equipment_id, "x", equipment_id, "y"], "device", equipment_id)

    assert answer.status == 403
    assert [error["field"] for error in answer.body["errors"]] == ["body.1.equipmentId", "body.3.equipmentId"]
    assert "PutEvents" not in wire.operations
    assert "BatchGetItem" not in wire.operations


def test_who_may_not_report_is_not_told_what_else_is_wrong(loop: Loop, equipment_id: str) -> None:
    path = {"id": equipment_id, "timestamp": "2000-01-01T00:00:00Z"}

    answer = loop.request(REPORT, path=path, body={"state": "NORMAL"}, groups=["device"], name="another")

    assert answer.status == 403
    assert "errors" not in answer.body


def test_a_gateway_reports_for_the_equipment_of_its_own_factory(loop: Loop, equipment_id: str) -> None:
    mine, theirs = f"{equipment_id}-mine", f"{equipment_id}-theirs"
    register(loop, mine, equipment_id)
    register(loop, theirs, "another")

    assert put(loop, mine, "gateway", equipment_id).status == 201
    assert put(loop, mine, "gateway", equipment_id).status == 200
    assert put(loop, theirs, "gateway", equipment_id).status == 403
    assert put(loop, mine, "gateway", "another").status == 403
    assert put(loop, mine, "gateway", "").status == 403


def test_a_gateway_reports_for_nothing_that_is_not_registered_or_was_deleted(loop: Loop, equipment_id: str) -> None:
    assert put(loop, equipment_id, "gateway", "gdl-1").status == 403
    register(loop, equipment_id, "gdl-1")
    assert put(loop, equipment_id, "gateway", "gdl-1").status == 201

    assert delete(loop, equipment_id, if_match=1).status == 204

    assert put(loop, equipment_id, "gateway", "gdl-1").status == 403
    assert post(loop, [equipment_id], "gateway", "gdl-1").status == 403


def test_a_gateway_loses_what_moves_to_another_factory(loop: Loop, equipment_id: str) -> None:
    register(loop, equipment_id, "gdl-1")
    body = equipment() | {"factoryId": "gdl-2"}
    loop.request(versions.PUT, path={"id": equipment_id}, body=body, headers={"if-match": '"1"'})

    assert put(loop, equipment_id, "gateway", "gdl-1").status == 403
    assert put(loop, equipment_id, "gateway", "gdl-2").status == 201


def test_a_gateway_that_is_named_like_equipment_is_no_device(loop: Loop, equipment_id: str) -> None:
    assert put(loop, equipment_id, "gateway", equipment_id).status == 403
    assert put(loop, equipment_id, "gateway", equipment_id, groups=["gateway", "device"]).status == 201


def test_many_reports_of_a_gateway_are_all_of_its_factory_or_none_is_published(
    loop: Loop, equipment_id: str, wire: Wire
) -> None:
    mine, theirs = [f"{equipment_id}-{number}" for number in range(3)], f"{equipment_id}-theirs"
    for one in mine:
        register(loop, one, equipment_id)
    register(loop, theirs, "another")
    wire.requests.clear()

    all_mine = post(loop, [*mine, mine[0]], "gateway", equipment_id)
    mixed = post(loop, [mine[0], theirs, mine[1], "nobody's"], "gateway", equipment_id)

    assert all_mine.status == 202
    assert mixed.status == 403
    assert [error["field"] for error in mixed.body["errors"]] == ["body.1.equipmentId", "body.3.equipmentId"]
    assert wire.operations == ["BatchGetItem", "PutEvents", "BatchGetItem"]


def test_a_hundred_machines_are_looked_up_by_one_request(loop: Loop, wire: Wire) -> None:
    answer = post(loop, [f"unknown-{number}" for number in range(100)], "gateway", "gdl-1")

    assert answer.status == 403
    assert len(answer.body["errors"]) == 100
    assert wire.operations == ["BatchGetItem"]


@pytest.mark.parametrize("group", ["operator", "admin"])
def test_an_operator_reports_for_any_machine_without_a_read(
    loop: Loop, equipment_id: str, wire: Wire, group: str
) -> None:
    assert put(loop, equipment_id, group, "Ana").status == 201
    assert post(loop, [equipment_id, "x"], group, "Ana").status == 202
    assert wire.operations == ["PutItem", "PutEvents"]


def test_what_a_throttled_table_leaves_out_is_asked_for_again(
    loop: Loop, equipment_id: str, wire: Wire, pauses: list[float]
) -> None:
    mine = [f"{equipment_id}-{number}" for number in range(3)]
    for one in mine:
        register(loop, one, equipment_id)
    wire.requests.clear()
    wire.leave_out("BatchGetItem", times=2)

    answer = post(loop, mine, "gateway", equipment_id)

    assert answer.status == 202
    assert wire.operations == ["BatchGetItem"] * 3 + ["PutEvents"]
    assert len(pauses) == 2


@pytest.mark.usefixtures("pauses")
def test_who_cannot_be_looked_up_is_not_believed(loop: Loop, equipment_id: str, wire: Wire) -> None:
    wire.leave_out("BatchGetItem", times=100)

    answer = post(loop, [equipment_id, "x"], "gateway", "gdl-1")

    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert "PutEvents" not in wire.operations
