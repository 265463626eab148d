"""Who is connected to the broker: whatever order its messages come in, and however often, the last one counts."""

import json
from itertools import count, pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.packages.package import Package
from andon.runtime import times
from andon.testing.lambda_events import presence_message, sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.loop import Loop
from tests.support.samples import NOW, sample
from tests.support.services.reports import report

EQUIPMENT = Package("services", "equipment")
NUMBERS = count(1)
MINUTE_MS = 60_000


def said(name: str, happening: str, at_ms: int, *, version: int = 0, reason: str | None = None) -> str:
    return presence_message(happening, client=f"Andon:{name}", at_ms=at_ms, version=version, reason=reason)


def hear(loop: Loop, *bodies: str) -> list[str]:
    """Deliver messages one by one; return the types of the facts."""
    return [fact["detail-type"] for fact in published(loop, *bodies)]


def published(loop: Loop, *bodies: str) -> list[Any]:
    """Deliver messages one by one; return the facts about connections."""
    found = []
    for body in bodies:
        assert loop.invoke(EQUIPMENT, "ingest", sqs_event([body])) == {"batchItemFailures": []}
        found += [event for event in loop.run() if event["detail-type"].startswith("connection")]
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

    assert hear(loop, said(name, "connected", NOW - 100, version=1)) == ["connection-back"]
    assert "disconnectedSince" not in on_board(loop, name)

    hear(loop, said(name, "disconnected", NOW - 50, version=1))
    report(loop, name, "NORMAL", at=times.to_utc(NOW))
    loop.run()
    assert "disconnectedSince" not in on_board(loop, name)


def test_who_was_back_before_the_grace_was_over_was_never_gone(loop: Loop, equipment_id: str) -> None:
    name = equipment_id.replace("#", "-")

    # The queue of those that are gone hands over later.
    assert hear(loop, said(name, "connected", NOW - 400, version=1), said(name, "disconnected", NOW - 500)) == []


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
        sqs_event([said(name, "connected", NOW, version=1), said(name, "disconnected", NOW - 1), again, again]),
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


class Happening(NamedTuple):
    is_connected: bool
    at_ms: int  # by the clock of the broker that saw it
    version: int


@st.composite
def lives(draw: st.DrawFn) -> list[Happening]:
    """A client's connections, in the order in which they happened: brief ones, long ones, versions that began anew."""
    now_ms, version, found = NOW - 10**9, 0, list[Happening]()
    for number in range(draw(st.integers(1, 6))):
        is_connected = number % 2 == 0
        wait_ms = draw(st.sampled_from([0, 1, 1_000, 200_000, 400_000, 65 * MINUTE_MS]))
        now_ms += wait_ms
        if is_connected:
            version = 0 if wait_ms > 60 * MINUTE_MS else version + 1
        off_ms = draw(st.sampled_from([-2 * MINUTE_MS, -1, 0, 2 * MINUTE_MS]))
        found.append(Happening(is_connected, now_ms + off_ms, version))
    return found


@given(data=st.data(), life=lives())
def test_in_every_order_the_facts_end_as_the_last_one_says(
    loop: Loop, data: st.DataObject, life: list[Happening]
) -> None:
    name = f"any-{next(NUMBERS)}"
    heard = data.draw(st.permutations([*life, *data.draw(st.lists(st.sampled_from(life), max_size=2))]))

    facts = published(
        loop,
        *(
            said(name, "connected" if one.is_connected else "disconnected", one.at_ms, version=one.version)
            for one in heard
        ),
    )

    types = [fact["detail-type"] for fact in facts]
    assert all(one != other for one, other in pairwise(types))
    assert types[-1:] in ([["connection-back"], []] if life[-1].is_connected else [["connection-lost"]])
    since = [fact["detail"]["connection"]["since"] for fact in facts]
    assert since == sorted({*since}), "whoever reads the facts has nothing but their times"


def test_a_quick_reconnect_is_told_right_whichever_broker_is_ahead(loop: Loop, equipment_id: str) -> None:
    name = equipment_id.replace("#", "-")

    assert hear(
        loop,
        said(name, "disconnected", NOW, version=7),
        said(name, "connected", NOW - 90_000, version=8),
        said(name, "disconnected", NOW - 60_000, version=8),
    ) == ["connection-lost", "connection-back", "connection-lost"]


def test_a_machine_that_was_off_for_an_hour_and_begins_with_version_0_is_back(loop: Loop, equipment_id: str) -> None:
    name = equipment_id.replace("#", "-")
    lost = said(name, "disconnected", NOW - 65 * MINUTE_MS, version=7)

    assert hear(loop, lost, said(name, "connected", NOW), lost) == ["connection-lost", "connection-back"]
