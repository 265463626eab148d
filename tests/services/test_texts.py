"""What cannot be seen, cut off or told apart is in no identifier and in no text, wherever a client sends it."""

from typing import Any

import pytest

from andon.testing.loop import Loop
from tests.support.services import versions
from tests.support.services.reports import ASSIGN, AT, ESCALATE, LOGS, OPERATOR_LOGS, REPORT, STAFF
from tests.support.services.versions import AUDIT, LOCATION, equipment

HARMFUL = {
    "what the gateway could cut off": "a?b",
    "what decodes to that": "a%3Fb",
    "another path": "a/b",
    "this folder": ".",
    "the folder above": "..",
    "blank": " ",
    "a space at its end": "a ",
    "a space at its beginning": " a",
    "a byte order mark": "\ufeffa",
    "another direction": "a\u202eb",
    "what SQS refuses": "a\uffff",
    "what SQS refuses, too": "a\ufffe",
    "a non-character of another plane": "a\U0001fffe",
    "an escape": "a\x1b[2J",
    "nothing": "",
}
BROKEN = {name: text for name, text in HARMFUL.items() if text in {" ", ""} or not text.isprintable()}

LOG = {"id": "machine", "state": "WARNING1", "timestamp": AT}
AUDITED = {"result": "passed", "auditor": "Olga"}
ROSTER = {"operators": ["Liz"], "supervisor": "Sara"}

IDS: dict[str, tuple[str, dict[str, Any]]] = {
    "path.id": (LOGS, {"path": {"id": "$"}}),
    "path.operator": (OPERATOR_LOGS, {"path": {"operator": "$"}}),
    "path.part": (AUDIT, {"path": {"id": "machine", "part": "$"}, "body": AUDITED}),
    "path.factoryId": (STAFF, {"path": {"factoryId": "$"}, "body": ROSTER}),
    "path.company": ("GET /board/{company}", {"path": {"company": "$"}}),
    "body.factoryId": (versions.PUT, {"path": {"id": "machine"}, "body": equipment() | {"factoryId": "$"}}),
    "body.lineId": (versions.PUT, {"path": {"id": "machine"}, "body": equipment() | {"lineId": "$"}}),
    "body.location.city": (
        versions.PUT,
        {"path": {"id": "machine"}, "body": equipment() | {"location": LOCATION | {"city": "$"}}},
    ),
    "body.auditor": (AUDIT, {"path": {"id": "machine", "part": "_"}, "body": AUDITED | {"auditor": "$"}}),
    "body.operator": (ASSIGN, {"path": LOG, "body": {"operator": "$"}}),
    "body.supervisor": (ESCALATE, {"path": LOG, "body": {"supervisor": "$"}}),
    "body.operators.0": (STAFF, {"path": {"factoryId": "gdl-1"}, "body": ROSTER | {"operators": ["$"]}}),
    "body.0.equipmentId": ("POST /states", {"body": [{"equipmentId": "$", "state": "OK", "timestamp": AT}]}),
}
TEXTS: dict[str, tuple[str, dict[str, Any]]] = {
    "body.name": (versions.PUT, {"path": {"id": "machine"}, "body": equipment("$")}),
    "body.result": (AUDIT, {"path": {"id": "machine", "part": "_"}, "body": AUDITED | {"result": "$"}}),
    "body.notes": (AUDIT, {"path": {"id": "machine", "part": "_"}, "body": AUDITED | {"notes": "$"}}),
    "body.detail": (REPORT, {"path": {"id": "machine", "timestamp": AT}, "body": {"state": "OK", "detail": "$"}}),
}


def filled(parts: Any, text: str) -> Any:  # noqa: ANN401  JSON is any
    """Put a text in the place of each `$`."""
    if isinstance(parts, dict):
        return {name: filled(part, text) for name, part in parts.items()}
    if isinstance(parts, list):
        return [filled(part, text) for part in parts]
    return text if parts == "$" else parts


@pytest.mark.parametrize("text", list(HARMFUL.values()), ids=list(HARMFUL))
@pytest.mark.parametrize("field", list(IDS))
def test_no_identifier_is_invisible_cut_off_or_mistaken_for_another(loop: Loop, field: str, text: str) -> None:
    route, parts = IDS[field]

    answer = loop.request(route, **filled(parts, text))

    assert answer.status == 400
    assert [error["field"] for error in answer.body["errors"]] == [field]


@pytest.mark.parametrize("text", list(BROKEN.values()), ids=list(BROKEN))
@pytest.mark.parametrize("field", list(TEXTS))
def test_no_text_is_refused_by_a_queue_or_does_what_nobody_sees(loop: Loop, field: str, text: str) -> None:
    route, parts = TEXTS[field]

    answer = loop.request(route, **filled(parts, text))

    if text or field in {"body.name", "body.result"}:
        assert answer.status == 400
        assert [error["field"] for error in answer.body["errors"]] == [field]
    else:  # of a device that says nothing more, the report is not lost
        assert answer.status != 400


def test_deleting_an_id_with_a_question_mark_deletes_no_other_equipment(loop: Loop) -> None:
    loop.request(versions.PUT, path={"id": "a"}, body=equipment())

    answer = loop.request(versions.DELETE, path={"id": "a?b"}, headers={"if-match": '"1"'})

    assert answer.status == 400
    assert loop.request(versions.GET, path={"id": "a"}).status == 200


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


def test_people_write_in_lines_and_tabs(loop: Loop, equipment_id: str) -> None:
    detail = "81 \u00b0C\r\n\tspindle\nbearing"

    answer = loop.request(REPORT, path={"id": equipment_id, "timestamp": AT}, body={"state": "ERROR", "detail": detail})

    assert (answer.status, answer.body["detail"]) == (201, detail)
