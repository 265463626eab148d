"""Texts that look the same are the same: of an identifier, of a place, of a cut-off path."""

import json
from typing import Any

import pytest

from andon.testing.loop import Loop
from tests.support.services import versions
from tests.support.services.reports import AT, LOGS, REPORT
from tests.support.services.versions import LOCATION, equipment


def test_deleting_an_id_with_a_question_mark_deletes_no_other_equipment(loop: Loop) -> None:
    loop.request(versions.PUT, path={"id": "a"}, body=equipment())

    answer = loop.request(versions.DELETE, path={"id": "a?b"}, headers={"if-match": '"1"'})

    assert answer.status == 400
    assert loop.request(versions.GET, path={"id": "a"}).status == 200


@pytest.mark.parametrize(
    ("field", "route", "parts"),
    [
        ("path.id", LOGS, {"path": {"id": "$"}}),
        ("path.factoryId", "GET /factories/{factoryId}/roster", {"path": {"factoryId": "$"}}),
        ("body.factoryId", versions.PUT, {"path": {"id": "a"}, "body": equipment() | {"factoryId": "$"}}),
        ("body.0.equipmentId", "POST /states", {"body": [{"equipmentId": "$", "state": "OK", "timestamp": AT}]}),
    ],
)
def test_what_is_called_as_its_user_has_no_space_and_nothing_that_nobody_sees(
    loop: Loop, field: str, route: str, parts: dict[str, Any]
) -> None:
    for name, why in (("press 7", "must not have a space in it"), ("press\u3164", "printable characters")):
        answer = loop.request(route, **json.loads(json.dumps(parts).replace("$", name)))

        assert answer.status == 400
        [error] = answer.body["errors"]
        assert error["field"] == field
        assert why in error["detail"]


def test_two_ids_that_look_the_same_are_one_machine(loop: Loop) -> None:
    composed, decomposed = "m\u00e9xico", "me\u0301xico"

    created = loop.request(versions.PUT, path={"id": decomposed}, body=equipment())

    assert created.status == 201
    assert created.body["id"] == composed
    assert loop.request(versions.GET, path={"id": composed}).body == created.body
    assert loop.request(versions.PUT, path={"id": composed}, body=equipment("other")).status == 428


def test_a_place_is_found_however_it_is_written(loop: Loop) -> None:
    body = equipment() | {"location": LOCATION | {"company": "Caf\u00e9", "country": "Me\u0301xico"}}
    loop.request(versions.PUT, path={"id": "roaster"}, body=body)
    loop.run()

    answer = loop.request("GET /board/{company}", path={"company": "Cafe\u0301"}, query={"location": "M\u00e9xico"})

    assert [item["equipmentId"] for item in answer.body["items"]] == ["roaster"]


def test_people_write_in_lines_and_tabs_or_nothing(loop: Loop, equipment_id: str) -> None:
    for second, detail in enumerate(["81 \u00b0C\r\n\tspindle\nbearing", "", None]):
        path = {"id": equipment_id, "timestamp": AT.replace(":00.", f":0{second}.")}
        answer = loop.request(REPORT, path=path, body={"state": "ERROR", "detail": detail})

        assert (answer.status, answer.body.get("detail")) == (201, detail)
