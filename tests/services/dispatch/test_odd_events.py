"""Events, rows and acknowledgements that are odd, and what they must not ruin."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from services.dispatch.alert import ALERTS
from services.dispatch.fact_types import ENTITY_OF
from services.dispatch.help import FACTS_OF
from services.dispatch.responsibility import ASSIGNMENT, ESCALATION
from services.dispatch.tables import KEYS, partition_of
from tests.support.dispatch.floor import Floor, report_body
from tests.support.dispatch.model import MINUTE, Report
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES

PRESS = "press-7"


def escalated(floor: Floor) -> list[str]:
    return [one.key for one in floor.decided(PRESS) if one.kind == "escalation"]


@pytest.mark.parametrize("state", ["ERROR", "NORMAL", "WARNING1"])
@pytest.mark.parametrize("ahead", [0, 1, 4 * MINUTE, 5 * MINUTE])
def test_acknowledging_a_log_that_nobody_reported_stops_no_escalation_of_what_begins_later(
    floor: Floor, state: str, ahead: int
) -> None:
    floor.restart(PRESS)
    floor.acknowledge(PRESS, state, NOW + ahead)
    floor.settle()

    for minute in range(1, 4):
        floor.report(PRESS, Report(NOW + minute * MINUTE + 7, "ERROR", NOW + minute * MINUTE + 7))
    floor.wait_until(NOW + 60 * MINUTE)

    assert escalated(floor) == ["ERROR#2020-04-28T00:01:00.007Z#escalation"]


def test_acknowledging_any_log_of_an_episode_stops_its_escalation(floor: Floor) -> None:
    for number in range(3):
        floor.restart(PRESS)
        for minute in range(1, 4):
            floor.report(PRESS, Report(NOW + minute * MINUTE, "ERROR", NOW + minute * MINUTE))
        floor.now_ms = NOW + 10 * MINUTE
        floor.acknowledge(PRESS, "ERROR", NOW + (number + 1) * MINUTE)
        floor.settle()
        floor.wait_until(NOW + 60 * MINUTE)

        assert escalated(floor) == []


def has_an_episode(floor: Floor, **more: Any) -> None:  # noqa: ANN401
    """Let a press report trouble, in events that say `more`, and the service decide about it."""
    floor.restart(PRESS)
    for number, state in enumerate(["ERROR", "ERROR"]):
        at_ms = NOW + number * MINUTE
        floor.wait_until(at_ms)
        body = json.loads(report_body(PRESS, Report(at_ms, state, at_ms)))
        body["detail"] = {**more, **body["detail"]}
        floor.deliver([json.dumps(body)])
        floor.settle()
    floor.wait_until(NOW + 60 * MINUTE)


def story(floor: Floor) -> list[Mapping[str, Any]]:
    status, body = floor.request(EPISODES, path={"id": PRESS})
    assert status == 200, body
    (episode,) = body["items"]
    return [{name: entry[name] for name in entry if name != "id"} for entry in episode["story"]]


def test_an_event_with_a_member_that_nobody_knows_is_told_as_if_it_had_none(floor: Floor) -> None:
    has_an_episode(floor)
    expected = story(floor)

    has_an_episode(floor, eem={"fields": ["state"]}, another=[1], third={"timestamp": 7, "since": None})

    assert story(floor) == expected
    assert {entry["type"] for entry in expected} == {
        "state-reported",
        "operator-assigned",
        "state-escalated",
        "equipment-silent",
    }


@pytest.mark.parametrize(
    "odd",
    [
        {"event": "text"},
        {"event": {"id": "e", "type": "state-reported", "timestamp": NOW + 1}},
        {"event": {"id": "e", "type": "state-reported", "timestamp": NOW + 1, "state": {"state": 7}}},
        {"event": {"id": "e", "type": "operator-assigned", "timestamp": NOW + 1}},
        {"event": {"id": "e", "type": "nobody-knows", "timestamp": NOW + 1, "state": {}}},
        {"event": {"id": "e", "type": "state-acknowledged", "timestamp": NOW + 1, "acknowledgement": {}}},
        {"arrived": "odd"},
        {"ttl": "odd"},
        {"discriminator": "unreadable"},
    ],
    ids=str,
)
def test_a_row_that_cannot_be_read_is_left_out_of_the_story(floor: Floor, odd: dict[str, Any]) -> None:
    has_an_episode(floor)
    expected = story(floor)
    partition = partition_of(PRESS)
    (row, *_) = (row for row in floor.table.rows(partition) if row["sk"].startswith("event#"))
    bad = {**row, **KEYS.of(partition, f"event#{NOW + 1}#odd"), **odd}
    rows = {**floor.table.partitions[partition], bad["sk"]: to_typed(bad)}
    floor.table.partitions = {**floor.table.partitions, partition: rows}

    assert story(floor) == expected


def test_what_is_read_of_a_fact_is_called_as_it_was_published() -> None:
    published = {kind.event_type: kind.discriminator for kind in (ASSIGNMENT, ESCALATION)}

    assert published | {alert.type: alert.entity_name for alert in ALERTS} == {
        kind: name for kind, name in ENTITY_OF.items() if name != "acknowledgement" and kind not in FACTS_OF
    }
