"""Who is connected to the broker: whatever order its messages come in, and however often, the last one counts."""

import json
from itertools import count, pairwise, permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.packages.package import Package
from andon.runtime import times
from andon.testing.lambda_events import presence_message, sqs_event
from andon.testing.loop import Loop
from tests.support.log_lines import LogLines
from tests.support.samples import NOW, sample
from tests.support.services.reports import report

EQUIPMENT = Package("services", "equipment")
NUMBERS = count(1)
HAPPENINGS = st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6)


def said(name: str, happening: str, at_ms: int, *, version: int = 0, reason: str | None = None) -> str:
    return presence_message(happening, client=f"Andon:{name}", at_ms=at_ms, version=version, reason=reason)


def hear(loop: Loop, *bodies: str) -> list[str]:
    """Deliver messages one by one; return the types of the facts."""
    found = []
    for body in bodies:
        assert loop.invoke(EQUIPMENT, "ingest", sqs_event([body])) == {"batchItemFailures": []}
        found += [event["detail-type"] for event in loop.run() if event["detail-type"].startswith("connection")]
    return found


def on_board(loop: Loop, name: str) -> Any:  # noqa: ANN401  JSON is any
    return loop.request("GET /equipment/{id}/board", path={"id": name}).body


def register(loop: Loop, name: str) -> None:
    body = json.loads(sample("http", "register-equipment")["body"])
    assert loop.request("PUT /equipment/{id}", path={"id": name}, body=body).status == 201
    loop.run()


def test_a_lost_connection_is_on_the_board_until_it_is_back_or_the_machine_reports(
    loop: Loop, equipment_id: str
) -> None:
    name = equipment_id.replace("#", "-")
    register(loop, name)

    assert hear(loop, said(name, "disconnected", NOW - 500, reason="MQTT_KEEP_ALIVE_TIMEOUT")) == ["connection-lost"]
    assert on_board(loop, name)["disconnectedSince"] == times.to_utc(NOW - 500)
    assert "silentSince" not in on_board(loop, name)

    assert hear(loop, said(name, "connected", NOW - 100)) == ["connection-back"]
    assert "disconnectedSince" not in on_board(loop, name)

    hear(loop, said(name, "disconnected", NOW - 50))
    report(loop, name, "NORMAL", at=times.to_utc(NOW))
    loop.run()
    assert "disconnectedSince" not in on_board(loop, name)


def test_who_was_back_before_the_grace_was_over_was_never_gone(loop: Loop, equipment_id: str) -> None:
    name = equipment_id.replace("#", "-")

    # The queue of those that are gone hands over later.
    assert hear(loop, said(name, "connected", NOW - 400), said(name, "disconnected", NOW - 500)) == []


def test_a_connection_that_ended_within_a_millisecond_is_lost(loop: Loop, equipment_id: str) -> None:
    name = equipment_id.replace("#", "-")

    assert hear(loop, said(name, "connected", NOW), said(name, "disconnected", NOW)) == ["connection-lost"]


def test_a_client_that_connects_once_more_is_not_gone(loop: Loop, equipment_id: str) -> None:
    name = equipment_id.replace("#", "-")

    assert hear(loop, said(name, "disconnected", NOW, reason="DUPLICATE_CLIENTID")) == []


def test_what_is_passed_over_of_presence_is_counted_by_why(loop: Loop, equipment_id: str, log_lines: LogLines) -> None:
    name = equipment_id.replace("#", "-")
    again = said(name, "disconnected", NOW, reason="DUPLICATE_CLIENTID")

    loop.invoke(
        EQUIPMENT,
        "ingest",
        sqs_event([said(name, "connected", NOW), said(name, "disconnected", NOW - 1), again, again]),
    )

    [line] = [line for line in log_lines if line["message"] == "ingested"]
    assert {count: line[count] for count in ("received", "presence", "stale", "taken_over", "fault")} == {
        "received": 4,
        "presence": 4,
        "stale": 1,
        "taken_over": 2,
        "fault": 0,
    }


@pytest.mark.parametrize(
    "body",
    [
        '{"presence": "gone", "client": "Andon:press-7", "at": 1, "version": 0}',
        '{"presence": "connected", "client": "Other:press-7", "at": 1, "version": 0}',
        '{"presence": "connected", "client": 7, "at": 1, "version": 0}',
        '{"presence": "connected", "client": "Andon:press-7", "at": "1", "version": 0}',
    ],
)
def test_what_says_nothing_of_a_client_of_this_deployment_is_a_fault(loop: Loop, body: str) -> None:
    assert loop.invoke(EQUIPMENT, "ingest", sqs_event([body])) == {"batchItemFailures": []}
    assert [event["detail-type"] for event in loop.run()] == ["fault"]


@given(happenings=HAPPENINGS)
def test_in_every_order_the_facts_end_as_the_last_one_says(loop: Loop, happenings: list[tuple[bool, int, int]]) -> None:
    """Of two of one time and version, which the broker does not send, nobody could say which is the last."""
    distinct = {(at, version): is_connected for is_connected, at, version in happenings}
    bodies = {
        said("{}", "connected" if is_connected else "disconnected", NOW + at, version=version): (at, version)
        for (at, version), is_connected in distinct.items()
    }
    ends = "connection-back" if distinct[max(distinct)] else "connection-lost"

    for order in permutations(bodies) if len(bodies) < 4 else [[*bodies], [*bodies][::-1]]:
        name = f"any-{next(NUMBERS)}"
        facts = hear(loop, *(body.replace("{}", name) for body in [*order, order[0]]))

        assert all(one != other for one, other in pairwise(facts))
        assert facts[-1:] in ([ends], [] if ends == "connection-back" else [ends])
