"""Changes of rows without an event, and rows that nobody can read."""

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from andon.packages.discovery import follower_of_table
from andon.testing.environment import LocalContext
from andon.testing.loop import Loop
from tests.support.samples import paths, sample

STREAMS = [path.stem for path in paths("stream")]
TTL_SERVICE = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def tell(loop: Loop, message: dict[str, Any]) -> list[dict[str, Any]]:
    """Call the trigger with a batch; return what it published."""
    package, _ = follower_of_table(message["Records"][0]["eventSourceARN"].split("/")[1])
    package.handler("trigger")(message, LocalContext(f"{package.name}-trigger"))
    return [json.loads(body)["detail"] for body in loop.new_messages()]


def removal(message: dict[str, Any], identity: Mapping[str, str] | None) -> dict[str, Any]:
    """Turn a record into the removal of the row that it tells of."""
    removed = deepcopy(message)
    record = removed["Records"][0]
    record["eventName"] = "REMOVE"
    record["dynamodb"]["OldImage"] = record["dynamodb"].pop("NewImage")
    if identity:
        record["userIdentity"] = dict(identity)
    return removed


@pytest.mark.parametrize("name", STREAMS)
def test_the_removal_of_an_expired_row_is_silent_and_one_by_hand_is_no_fault(loop: Loop, name: str) -> None:
    assert tell(loop, removal(sample("stream", name), TTL_SERVICE)) == []
    assert "fault" not in [event["type"] for event in tell(loop, removal(sample("stream", name), None))]


def test_a_report_is_told_when_it_comes_to_be_and_never_again(loop: Loop) -> None:
    rewritten = sample("stream", "state-reported")
    rewritten["Records"][0]["eventName"] = "MODIFY"
    rewritten["Records"][0]["dynamodb"]["OldImage"] = rewritten["Records"][0]["dynamodb"]["NewImage"]

    assert tell(loop, rewritten) == []
    assert tell(loop, removal(sample("stream", "state-reported"), None)) == []


@pytest.mark.parametrize("name", STREAMS)
def test_a_row_that_lost_a_field_becomes_a_fault_and_does_not_stop_its_neighbour(loop: Loop, name: str) -> None:
    good = sample("stream", name)
    bad = deepcopy(good["Records"][0])
    bad["eventID"] = "bad"
    for image in ("NewImage", "OldImage"):
        for lost in ("timestamp", "equipmentId", "at", "changed_ms"):
            bad["dynamodb"].get(image, {}).pop(lost, None)

    told = tell(loop, {"Records": [bad, *good["Records"]]})

    assert [event["type"] for event in told] == ["fault", sample("domain", name)["type"]]
    assert json.loads(told[0]["fault"]["message"])["eventID"] == "bad"
