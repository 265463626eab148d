"""POST /states: straight to the bus, fire and forget."""

import json
from typing import Any

import pytest

from andon.testing.loop import Loop
from andon.testing.wire import Wire
from tests.support.samples import sample

ROUTE = "POST /states"
TIME = "2020-04-27T10:00:00.000Z"


def report(**parts: str) -> dict[str, Any]:
    return {"equipmentId": "press-7", "state": "WARNING1", "timestamp": TIME} | parts


def test_reports_are_published_in_order_and_no_row_is_written(loop: Loop, wire: Wire) -> None:
    reports = [report(equipmentId=f"many-{number}", detail="hot") for number in range(25)]

    answer = loop.request(ROUTE, body=reports, groups=("operator",))

    assert answer.status == 202
    details = [json.loads(body)["detail"] for body in loop.new_messages()]
    assert [event["state"] for event in details] == reports
    assert [event["id"] for event in details] == answer.body["ids"]
    assert set(wire.operations) - {"ReceiveMessage", "DeleteMessage"} == {"PutEvents"}


OTHERWISE = ({"equipmentId": "press-8"}, {"state": "ERROR"}, {"timestamp": "2020-04-27T10:00:00.001Z"}, {"detail": ""})


def test_the_same_report_again_is_the_same_fact_and_any_other_is_another(loop: Loop) -> None:
    reports = [report(), *(report(**other) for other in OTHERWISE)]
    again = [report(timestamp="2020-04-27T12:00:00+02:00"), *reversed(reports)]

    first, *_ = ids = loop.request(ROUTE, body=reports, groups=("operator",)).body["ids"]

    assert len(set(ids)) == len(reports)
    assert loop.request(ROUTE, body=again, groups=("gateway", "operator")).body["ids"] == [first, *reversed(ids)]
    loop.new_messages()


def test_a_report_that_was_sent_again_applies_once(loop: Loop) -> None:
    for _ in range(2):
        loop.request(ROUTE, body=[report(equipmentId="lost-answer")], groups=("operator",))
    loop.listen(bodies := loop.new_messages())

    assert [json.loads(body)["detail"] for body in bodies] == [json.loads(bodies[0])["detail"]] * 2
    assert len(loop.request("GET /equipment/{id}/logs", path={"id": "lost-answer"}).body["items"]) == 1


def test_a_report_reaches_the_views_and_not_the_states(loop: Loop) -> None:
    loop.request(ROUTE, body=[report(equipmentId="fired", state="ERROR")], groups=("operator",))
    loop.run()

    (log,) = loop.request("GET /equipment/{id}/logs", path={"id": "fired"}).body["items"]
    assert log["state"] == "ERROR"
    assert loop.request("GET /equipment/{id}/states", path={"id": "fired"}).body == {"items": []}


@pytest.mark.parametrize(
    ("reports", "fields"),
    [
        ([], ["body"]),
        ([report()] * 101, ["body"]),
        ({"equipmentId": "press-7"}, ["body"]),
        ([report(), report(state="bad"), report(), report(timestamp="noon")], ["body.1.state", "body.3.timestamp"]),
        ([report(), report(timestamp="2030-01-01"), report()], ["body.1.timestamp"]),
        (
            [report(timestamp="2019-01-01T00:00:00Z"), report(), report(timestamp="2021-01-01T00:00:00Z")],
            ["body.0.timestamp", "body.2.timestamp"],
        ),
    ],
)
def test_nothing_is_published_if_any_report_is_invalid(
    loop: Loop, wire: Wire, reports: object, fields: list[str]
) -> None:
    answer = loop.request(ROUTE, body=reports, groups=("operator",))

    assert answer.status == 400
    assert [error["field"] for error in answer.body["errors"]] == fields
    assert "PutEvents" not in wire.operations


@pytest.mark.usefixtures("pauses", "each_alone")
def test_reports_that_were_not_published_are_named_by_index_and_the_others_are_not_lost(loop: Loop, wire: Wire) -> None:
    wire.refuse_entries(lambda entry: "InternalFailure" if "-late" in entry["Detail"] else None)
    names = ["press-1", "press-2-late", "press-3", "press-4-late"]

    answer = loop.request(ROUTE, body=[report(equipmentId=name) for name in names], groups=("operator",))

    assert (answer.status, answer.headers["retry-after"]) == (503, "5")
    assert [error["field"] for error in answer.body["errors"]] == ["body.1", "body.3"]
    published = [json.loads(body)["detail"]["state"]["equipmentId"] for body in loop.new_messages()]
    assert published == ["press-1", "press-3"]


@pytest.mark.usefixtures("pauses", "each_alone")
def test_a_request_that_fails_as_a_whole_names_its_ten_reports_only(loop: Loop, wire: Wire) -> None:
    is_first = lambda parameters: "first" in parameters["Entries"][0]["Detail"]  # noqa: E731
    wire.fail("PutEvents", "InternalException", when=is_first)
    names = [*["first"] * 10, *["second"] * 3]

    answer = loop.request(ROUTE, body=[report(equipmentId=name) for name in names], groups=("operator",))

    assert [error["field"] for error in answer.body["errors"]] == [f"body.{number}" for number in range(10)]
    assert len(loop.new_messages()) == 3


@pytest.mark.parametrize(
    ("groups", "name", "actor"),
    [
        (("operator",), "liz", "a subject"),
        (("operator", "device"), "press-7", "a subject"),
        (("device",), "press-7", "press-7"),
        (("gateway",), "gdl-1", "a subject"),
    ],
)
def test_the_tags_say_who_reported_for_there_is_no_row(
    loop: Loop, groups: tuple[str, ...], name: str, actor: str
) -> None:
    loop.call(sample("http", "register-equipment"))
    loop.run()

    answer = loop.request(ROUTE, body=[report()], groups=groups, subject="a subject", name=name)

    assert answer.status == 202
    (event,) = [json.loads(body)["detail"] for body in loop.new_messages()]
    assert event["tags"]["actor"] == actor


def test_a_device_that_is_a_gateway_too_is_itself_only_for_its_own_equipment(loop: Loop) -> None:
    body = sample("http", "register-equipment")["body"]
    for name in ("twin", "other"):
        loop.request("PUT /equipment/{id}", path={"id": name}, body={**json.loads(body), "factoryId": "twin"})
    loop.run()

    reports = [report(equipmentId="twin"), report(equipmentId="other")]
    loop.request(ROUTE, body=reports, groups=("device", "gateway"), subject="a subject", name="twin")

    events = [json.loads(body)["detail"] for body in loop.new_messages()]
    assert [event["tags"]["actor"] for event in events] == ["twin", "a subject"]
