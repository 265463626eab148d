"""The rows that dispatch keeps of events: each report once, and the location of equipment."""

import json
from typing import Any

import pytest

from andon.packages.package import Package
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.support.dispatch.floor import report_body
from tests.support.dispatch.model import Report
from tests.support.samples import NOW, body_of, fact, sample

DISPATCH = Package("services", "dispatch")
DAY = 86_400_000

Rows = dict[str, dict[str, Any]]


def heard(loop: Loop, *bodies: str) -> list[str]:
    """Deliver a batch; give the messages that are to come again."""
    return loop.deliver(DISPATCH, list(bodies))


def rows(loop: Loop, equipment_id: str) -> Rows:
    return {row["sk"]: row for row in loop.rows("DISPATCH_TABLE") if row["pk"] == f"Equipment#{equipment_id}"}


def counted(line: dict[str, Any]) -> dict[str, int]:
    outcomes = ("received", "applied", "duplicate", "stale", "expired", "compacted", "fault", "failed")
    return {name: line[name] for name in outcomes if line[name]}


def test_a_report_older_than_its_ttl_is_counted_and_dropped(
    loop: Loop, equipment_id: str, log_lines: list[dict[str, Any]]
) -> None:
    old = Report(NOW - 33 * DAY, "ERROR", NOW)
    young = Report(NOW - 33 * DAY + 1000, "ERROR", NOW)

    assert heard(loop, report_body(equipment_id, old), report_body(equipment_id, young)) == []

    (line,) = (line for line in log_lines if line.get("view") == "dispatch")
    assert counted(line) == {"received": 2, "applied": 1, "expired": 1}
    assert line["state-reported.expired"] == 1
    assert list(rows(loop, equipment_id)) == [f"event#{young.at_ms}#ERROR"]


def test_a_report_is_kept_once_under_whichever_event_ids_it_is_published_and_in_whichever_batches(
    loop: Loop, equipment_id: str, log_lines: list[dict[str, Any]]
) -> None:
    report = Report(NOW - 1000, "ERROR", NOW)
    one, same, resent = (report_body(equipment_id, report, event_id) for event_id in ("one", "one", "resent"))

    assert heard(loop, one) == []
    before = rows(loop, equipment_id)
    with frozen_clock(NOW + 60_000):
        assert heard(loop, same, resent) == []
        assert heard(loop, resent) == []

    assert rows(loop, equipment_id) == before
    ((_, row),) = before.items()
    assert (row["event"]["id"], row["arrived"]) == ("one", NOW)
    outcomes = [counted(line) for line in log_lines if line.get("view") == "dispatch"]
    assert outcomes == [
        {"received": 1, "applied": 1},
        {"received": 2, "duplicate": 1, "compacted": 1},
        {"received": 1, "duplicate": 1},
    ]


@pytest.mark.parametrize("name", ["state-reported", "state-reported.v1"])
def test_a_report_is_kept_with_who_reported_also_one_of_before(loop: Loop, equipment_id: str, name: str) -> None:
    message = fact(name, id=f"by {equipment_id}", at=NOW, equipmentId=equipment_id, timestamp=times.to_utc(NOW))

    assert heard(loop, body_of(message)) == []

    ((_, row),) = rows(loop, equipment_id).items()
    assert "raw" not in row["event"]
    assert row["event"]["tags"]["actor"] == sample("domain", "state-reported")["raw"]["new"]["reportedBy"]


def test_a_report_without_a_row_is_kept_with_the_device_that_reported(loop: Loop, equipment_id: str) -> None:
    at = times.to_utc(NOW)
    body = [{"equipmentId": equipment_id, "state": "ERROR", "timestamp": at}]
    loop.request("POST /states", body=body, groups=("device",), name=equipment_id)
    loop.run()

    events = [row["event"] for row in rows(loop, equipment_id).values() if row["discriminator"] == "event"]
    actors = {event["type"]: event["tags"]["actor"] for event in events}
    assert actors["state-reported"] == equipment_id


def test_reports_of_one_moment_that_differ_are_both_kept(loop: Loop, equipment_id: str) -> None:
    for state in ("ERROR", "WARNING1"):
        heard(loop, report_body(equipment_id, Report(NOW, state, NOW)))

    assert [sort.split("#")[-1] for sort in rows(loop, equipment_id)] == ["ERROR", "WARNING1"]


def test_a_report_in_the_oldest_shape_is_kept_in_todays(loop: Loop) -> None:
    old = sample("domain", "state-reported.v0")
    old["state"]["deviceId"] = "told of old"
    body = json.dumps({"source": "equipment", "detail-type": "state-reported", "detail": old})

    assert heard(loop, body) == []

    ((_, row),) = rows(loop, "told of old").items()
    assert row["event"]["state"]["equipmentId"] == "told of old"
    times.require_fixed(row["event"]["state"]["timestamp"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"equipmentId": ""},
        {"state": "not a state"},
        {"state": "A#B"},
        {"timestamp": "2020-04-24T14:50:00Z"},
        {"state": 7},
    ],
    ids=str,
)
def test_a_report_that_nobody_can_understand_becomes_a_fault_and_does_not_stop_its_neighbour(
    loop: Loop, equipment_id: str, wrong: dict[str, Any]
) -> None:
    loop.run()
    bad = body_of(fact("state-reported", id=f"bad {equipment_id}", **wrong))

    assert heard(loop, bad, report_body(equipment_id, Report(NOW, "ERROR", NOW))) == []

    published = [json.loads(body) for body in loop.new_messages()]
    assert [one["detail-type"] for one in published] == ["fault"]
    assert published[0]["detail"]["fault"]["consumer"] == "dispatch.listener"
    assert len(rows(loop, equipment_id)) == 1


def test_where_equipment_is_is_the_newest_word_whatever_order_it_comes_in(loop: Loop, equipment_id: str) -> None:
    def told(name: str, *, at: int, factory_id: str, **more: object) -> str:
        event = fact(name, id=f"{equipment_id} {at}", at=at, factoryId=factory_id, **more)
        event.entities["equipment"]["id"] = equipment_id
        return body_of(event)

    created = told("equipment-created", at=NOW, factory_id="first")
    moved = told("equipment-updated", at=NOW + 1, factory_id="second")
    deleted = told("equipment-deleted", at=NOW + 2, factory_id="second", deleted=True)

    heard(loop, moved)
    heard(loop, created)
    assert rows(loop, equipment_id)["equipment"]["factoryId"] == "second"
    heard(loop, deleted, moved)
    heard(loop, created)
    assert "factoryId" not in rows(loop, equipment_id)["equipment"]
