import json
from typing import Any

import pytest

from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups

# Of a type that its view does not know.
POISON = json.dumps(
    {"source": "equipment", "detail-type": "seen", "detail": {"id": "e1", "type": "seen", "timestamp": 1}}
)


def faults(stack: Stack) -> list[dict[str, Any]]:
    """All faults of our poison message."""
    items = stack.api(groups.ADMIN).get("/faults").json["items"]
    return [fault for fault in items if fault["error"]["message"] == "nothing is kept of seen of equipment"]


def kept(stack: Stack, fault_id: str) -> list[str]:
    """The objects that are about a fault, without the claim of its id."""
    listed = stack.client("s3").list_objects_v2(Bucket=stack.outputs["FaultsBucket"], Prefix="faults/")
    return [found["Key"] for found in listed.get("Contents", []) if fault_id in found["Key"]]


def send(stack: Stack, body: str) -> None:
    stack.client("sqs").send_message(QueueUrl=stack.outputs["StateLogQueueUrl"], MessageBody=body)


def times_heard(stack: Stack) -> int:
    """The number of times the store received a fault, from its log."""
    logs = stack.client("logs")
    groups_of_store = [
        group["logGroupName"]
        for page in logs.get_paginator("describe_log_groups").paginate()
        for group in page["logGroups"]
        if "Listener" in group["logGroupName"]
    ]
    return sum(
        json.loads(event["message"])["received"]
        for group in groups_of_store
        for event in logs.filter_log_events(logGroupName=group)["events"]
        if '"view":"faults"' in event["message"]
    )


@pytest.fixture(scope="module")
def fault(stack: Stack) -> dict[str, Any]:
    """A fault, from a poison message on the queue of a view."""
    send(stack, POISON)
    assert eventually(lambda: len(faults(stack)) == 1)
    return faults(stack)[0]


def test_a_poison_message_becomes_a_fault_that_admins_read(stack: Stack, fault: dict[str, Any]) -> None:
    told = stack.api(groups.ADMIN).get(path_of("faults", fault["id"])).json

    assert told["message"] == POISON
    assert told["consumer"] == "state_log.listener"
    assert stack.api(groups.ANALYST).get("/faults").status == 403


def test_a_message_that_is_put_back_and_is_still_poison_is_the_same_fault(stack: Stack, fault: dict[str, Any]) -> None:
    before = times_heard(stack)

    answer = stack.api(groups.ADMIN).request("POST", path_of("faults", fault["id"], "resubmit"))

    assert answer.status == 202
    assert eventually(lambda: times_heard(stack) > before)
    assert len(kept(stack, fault["id"])) == 1
    [same] = faults(stack)
    assert same["timestamp"] == fault["timestamp"]
    assert same["resubmittedAt"] > fault["timestamp"]
