"""The wire format is that of the npm library `aws-lambda-stream`: what each publishes, the other understands.

It runs with nothing between; only AWS's SDK is a stand-in that notes the calls (flow.cjs).
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from andon.events.group import body_of as body_of_group
from andon.project import project
from andon.testing.loop import Loop
from demo import npm
from tests.support.samples import body_of, fact, sample

# The service that runs the library; it sees to it itself that a service does not hear its own events.
SERVICE: Final = {"SERVICE": "equipment", "BUS_SRC": "equipment", "BUS_NAME": "andon", "STAGE": "local"}


@pytest.fixture(scope="module")
def library() -> Path:
    """The folder that has the library; a machine without npm, or without a way to its registry, skips."""
    try:
        return npm.folder_of(npm.LIBRARY)
    except npm.NotInstalled as error:
        pytest.skip(str(error))


def handed_to_aws(library: Path, flow: str, event: dict[str, Any]) -> list[Any]:
    """Run a flow of the library; give its calls of AWS."""
    command = ["node", str(Path(__file__).with_name("flow.cjs")), str(library), flow]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "AWS_REGION": "us-east-1", **SERVICE}
    done = subprocess.run(  # noqa: S603
        command, input=json.dumps(event), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    calls: list[Any] = json.loads(done.stdout)
    return calls


def assert_wrote_the_logs(calls: list[Any], *machines: str) -> None:
    state = sample("domain", "state-reported")["state"]

    assert [call["operation"] for call in calls] == ["UpdateCommand"] * len(machines)
    assert [call["input"]["Key"] for call in calls] == [{"pk": one, "sk": state["timestamp"]} for one in machines]
    for call in calls:
        assert call["input"]["ExpressionAttributeValues"] == {
            ":state": state["state"],
            ":detail": state["detail"],
            ":timestamp": 1587739800000,
        }


MACHINES: Final = ("d#1", "d#2", "d#3")


def message_of(*machines: str) -> dict[str, Any]:
    """Return EventBridge's envelope in which a report of each of these machines comes."""
    reports = [fact("state-reported", id=machine)._replace(partition_key=machine) for machine in machines]
    message: dict[str, Any] = json.loads(body_of_group(map(body_of, reports)))
    return message


def in_a_queue(detail: dict[str, Any]) -> dict[str, Any]:
    """Return a batch of a queue whose rule hands on the detail."""
    return {"Records": [{"messageId": "message-1", "eventSource": "aws:sqs", "body": json.dumps(detail)}]}


def test_what_we_publish_materializes_in_the_library_off_the_bus(library: Path) -> None:
    assert_wrote_the_logs(handed_to_aws(library, "fromEventBridge", message_of("d#12345")), "d#12345")


def test_what_we_publish_materializes_in_the_library_off_a_queue_whose_rule_hands_on_the_detail(library: Path) -> None:
    detail = message_of("d#12345")["detail"]

    assert_wrote_the_logs(handed_to_aws(library, "fromSqsEvent", in_a_queue(detail)), "d#12345")


@pytest.mark.parametrize("machines", [MACHINES, MACHINES[:1]], ids=["a group", "a fact alone"])
def test_our_groups_materialize_in_the_library_once_they_are_taken_apart_as_the_page_says(
    library: Path, machines: tuple[str, ...]
) -> None:
    message = message_of(*machines)

    assert_wrote_the_logs(handed_to_aws(library, "groupFromEventBridge", message), *machines)
    assert_wrote_the_logs(handed_to_aws(library, "groupFromSqsEvent", in_a_queue(message["detail"])), *machines)


def test_a_group_that_is_not_taken_apart_is_to_the_library_an_event_that_no_rule_wants(library: Path) -> None:
    message = message_of(*MACHINES)

    assert handed_to_aws(library, "fromEventBridge", message) == []
    assert handed_to_aws(library, "fromSqsEvent", in_a_queue(message["detail"])) == []


def test_the_page_has_the_lines_that_take_groups_apart() -> None:
    page = (project().root / "docs" / "coming-from-aws-lambda-stream.md").read_text()
    [quoted] = re.findall(r"```js\n(.*?)```", page, re.DOTALL)

    assert quoted in Path(__file__).with_name("flow.cjs").read_text()


def test_what_the_library_publishes_materializes_in_our_views(library: Path, loop: Loop, equipment_id: str) -> None:
    state = sample("domain", "state-reported")["state"] | {"equipmentId": equipment_id}
    told = {"id": equipment_id, "type": "state-reported", "timestamp": 1587739800000, "partitionKey": equipment_id}

    [call] = handed_to_aws(library, "publish", told | {"state": state})

    (entry,) = call["input"]["Entries"]
    detail = json.loads(entry["Detail"])
    assert call["operation"] == "PutEventsCommand"
    assert detail["tags"].items() >= {"source": "equipment", "stage": "local", "pipeline": "tells"}.items()
    loop.listen([json.dumps({"source": entry["Source"], "detail-type": entry["DetailType"], "detail": detail})])
    assert loop.request("GET /equipment/{id}/logs", path={"id": equipment_id}).body["items"] == [state]
