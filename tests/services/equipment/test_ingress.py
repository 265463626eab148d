"""Reports over MQTT: the events of POST /states, or faults that admins read; no message stops its neighbours."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andon.packages.package import Package
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.lambda_events import rule_message, sqs_event
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from contract import groups
from tests.support.samples import NOW, sample

EQUIPMENT = Package("services", "equipment")
TIME = "2020-04-27T10:00:00.000Z"
REGISTER = "PUT /equipment/{id}"


def report(**parts: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"state": "WARNING1", "timestamp": TIME} | parts


def of_machine(said: object, name: str = "press-7", *, at_ms: int = NOW) -> str:
    return message(said, name, "equipment", "state", at_ms)


def of_gateway(said: object, name: str = "gdl-1", *, at_ms: int = NOW) -> str:
    return message(said, name, "factory", "states", at_ms)


def message(said: object, name: str, kind: str, last: str, at_ms: int) -> str:
    published = said if isinstance(said, bytes) else json.dumps(said).encode()
    thing = f"Andon:{name}"
    return rule_message(published, topic=f"Andon/{kind}/{thing}/{last}", client=thing, at_ms=at_ms)


def ingest(loop: Loop, *bodies: str) -> list[str]:
    """Deliver a batch; return the ids of the messages that come again."""
    answer = loop.invoke(EQUIPMENT, "ingest", sqs_event(bodies))
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def published(loop: Loop) -> list[dict[str, Any]]:
    return [json.loads(body)["detail"] for body in loop.new_messages()]


def register(loop: Loop, equipment_id: str, factory: str = "gdl-1") -> None:
    body = json.loads(sample("http", "register-equipment")["body"]) | {"factoryId": factory}
    assert loop.request(REGISTER, path={"id": equipment_id}, body=body).status == 201
    loop.run()


def test_a_report_over_mqtt_is_the_event_of_post_states(loop: Loop) -> None:
    posted = [report(equipmentId="press-7", detail="hot"), report(equipmentId="press-7", state="NORMAL")]
    loop.request("POST /states", body=posted, groups=("device",), name="press-7")
    by_https = published(loop)

    assert (
        ingest(loop, of_machine([report(detail="hot"), report(state="NORMAL")]), of_machine(report(detail="hot"))) == []
    )

    by_mqtt = published(loop)
    of_own = {"pipeline", "functionname", "principal"}
    assert [{**event, "tags": None} for event in by_mqtt] == [
        {**event, "tags": None} for event in [*by_https, by_https[0]]
    ]
    for one, other in zip(by_mqtt, by_https, strict=False):
        assert {key: one["tags"][key] for key in one["tags"].keys() - of_own} == {
            key: other["tags"][key] for key in other["tags"].keys() - of_own
        }
    assert by_mqtt[0]["tags"]["pipeline"] == "equipment.ingest"
    assert by_mqtt[0]["tags"]["principal"] == "certificate"


def test_a_gateway_reports_for_what_is_registered_at_its_factory_alone(loop: Loop) -> None:
    for name in ("of-gdl-1", "of-gdl-2"):
        register(loop, name)
    register(loop, "of-mty", "mty-1")
    ours = [report(equipmentId="of-gdl-1"), report(equipmentId="of-gdl-2")]

    theirs = [*ours, report(equipmentId="of-mty")]
    of_its_own_name = [report(equipmentId="gdl-1")]
    assert ingest(loop, of_gateway(ours), of_gateway(theirs), of_gateway(of_its_own_name)) == []

    *events, fault, other = published(loop)
    assert (fault["type"], other["type"]) == ("fault", "fault")
    assert [event["state"]["equipmentId"] for event in events] == ["of-gdl-1", "of-gdl-2"] * 2
    assert {event["tags"]["actor"] for event in events} == {"Andon:gdl-1"}
    assert fault["fault"]["error"]["name"] == "Forbidden"
    assert [content_of(one) for one in (fault, other)] == [[report(equipmentId="of-mty")], of_its_own_name]


def content_of(fault: dict[str, Any]) -> object:
    """Published content of a fault's message."""
    return json.loads(json.loads(fault["fault"]["message"])["text"])


REFUSED = {
    "garbage": of_machine(b"\x00hot"),
    "no UTF-8": of_machine(b'{"state": "\xff"}'),
    "a member twice": of_machine(b'{"state": "NORMAL", "state": "ERROR", "timestamp": "2020-04-27T10:00:00Z"}'),
    "128 KB": of_machine(b"[" + b"0," * 65_000 + b"0]"),
    "nothing": of_machine([]),
    "too many": of_machine([report()] * 101),
    "no report": of_machine(7),
    "a bad state": of_machine([report(state="bad")]),
    "says whose": of_machine(report(equipmentId="press-7")),
    "more than is known": of_machine(report(colour="red")),
    "ahead": of_machine(report(timestamp="2030-01-01T00:00:00Z")),
    "too old": of_machine(report(timestamp="2019-01-01T00:00:00Z")),
    "without equipment": of_gateway([report()]),
    "another's topic": rule_message(
        b"{}", topic="Andon/equipment/Andon:press-7/state", client="Andon:press-8", at_ms=NOW
    ),
    "another stack": rule_message(b"{}", topic="B/equipment/B:press-7/state", client="B:press-7", at_ms=NOW),
    "no message": "{}",
}


def test_what_can_never_be_used_is_a_fault_that_admins_read_and_stops_nobody(loop: Loop) -> None:
    bodies = [of_machine(report(), "neighbour"), *REFUSED.values(), of_machine(report(state="ERROR"), "neighbour")]

    assert ingest(loop, *bodies) == []

    events = loop.run()
    reported = [event["detail"]["state"]["state"] for event in events if event["detail-type"] == "state-reported"]
    assert sorted(reported) == ["ERROR", "WARNING1"]
    listed = loop.request("GET /faults").body["items"]
    ours = [fault for fault in listed if fault["consumer"] == "equipment.ingest"]
    assert len(ours) == len(REFUSED)
    [bad] = [fault for fault in ours if "body.0.state" in fault["error"]["message"]]
    shown = loop.request("GET /faults/{id}", path={"id": bad["id"]}).body
    assert json.loads(json.loads(shown["message"])["text"]) == [report(state="bad")]


BAD = (
    7,
    None,
    report(state="bad"),
    report(detail="HYD LOW\0\0"),
    report(timestamp="2030-01-01T00:00:00Z"),
    report(timestamp="2020-04-27T10:00:60Z"),
    report(equipmentId="press-7"),
)
GOOD = tuple(report(state=state) for state in ("NORMAL", "WARNING1", "ERROR"))


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(st.sampled_from([*GOOD, *BAD]), min_size=1, max_size=9, unique_by=json.dumps))
def test_each_report_of_a_message_stands_for_itself(loop: Loop, items: list[Any]) -> None:
    loop.new_messages()

    assert ingest(loop, of_machine(items)) == []

    events = published(loop)
    reported = [event["state"]["state"] for event in events if event["type"] == "state-reported"]
    assert reported == [item["state"] for item in items if item in GOOD]
    faults = [content_of(event) for event in events if event["type"] == "fault"]
    assert faults == [[item] for item in items if item in BAD]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.binary(max_size=200), is_gateway=st.booleans())
def test_whatever_bytes_are_published_become_events_or_one_fault(loop: Loop, said: bytes, *, is_gateway: bool) -> None:
    loop.new_messages()

    assert ingest(loop, of_gateway(said) if is_gateway else of_machine(said)) == []

    assert [event["type"] for event in published(loop)] == ["fault"]


def test_a_message_that_waited_is_judged_by_when_it_was_published(loop: Loop) -> None:
    earlier = NOW - 40 * DAY_MS
    soon = times.to_utc(earlier + 60_000)

    ingest(loop, of_machine(report(timestamp=soon), "late", at_ms=earlier), of_machine(report(timestamp=soon), "late"))

    assert [event["type"] for event in published(loop)] == ["state-reported", "fault"]


@pytest.mark.usefixtures("pauses", "each_alone")
def test_only_what_was_not_published_comes_again(loop: Loop, wire: Wire) -> None:
    wire.refuse_entries(lambda entry: "InternalFailure" if "-late" in entry["Detail"] else None)

    again = ingest(loop, *(of_machine(report(), name) for name in ("a", "b-late", "c", "d-late")))

    assert again == ["message-1", "message-3"]
    assert [event["state"]["equipmentId"] for event in published(loop)] == ["a", "c"]


def test_what_was_refused_before_a_machine_was_registered_can_be_put_back(loop: Loop) -> None:
    ingest(loop, of_gateway([report(equipmentId="not-yet", state="ERROR")]))
    loop.run()
    [fault] = [one for one in loop.request("GET /faults").body["items"] if one["error"]["name"] == "Forbidden"]
    register(loop, "not-yet")

    path = {"id": fault["id"]}
    assert loop.request("POST /faults/{id}/resubmit", path=path, groups=(groups.ADMIN,)).status == 202
    loop.run()

    [log] = loop.request("GET /equipment/{id}/logs", path={"id": "not-yet"}).body["items"]
    assert log["state"] == "ERROR"
    assert "failedAgainAt" not in loop.request("GET /faults/{id}", path=path).body
