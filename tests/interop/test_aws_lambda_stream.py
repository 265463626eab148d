"""The wire format is that of the npm library `aws-lambda-stream`: what each publishes, the other understands.

It runs with nothing between; only AWS's SDK is a stand-in that notes the calls (flow.cjs).
"""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from andon.testing.loop import Loop
from bench import npm
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


def handed_to_aws(library: Path, flow: str, event: dict[str, Any]) -> Any:  # noqa: ANN401
    """Run a flow of the library; give its only call of AWS."""
    command = ["node", str(Path(__file__).with_name("flow.cjs")), str(library), flow]
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "AWS_REGION": "us-east-1", **SERVICE}
    done = subprocess.run(  # noqa: S603
        command, input=json.dumps(event), env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    (call,) = json.loads(done.stdout)
    return call


def assert_wrote_the_log(call: dict[str, Any]) -> None:
    state = sample("domain", "state-reported")["state"]

    assert call["operation"] == "UpdateCommand"
    assert call["input"]["Key"] == {"pk": "d#12345", "sk": state["timestamp"]}
    assert call["input"]["ExpressionAttributeValues"] == {
        ":state": state["state"],
        ":detail": state["detail"],
        ":timestamp": 1587739800000,
    }


def test_what_we_publish_materializes_in_the_library_off_the_bus(library: Path) -> None:
    message = json.loads(body_of(fact("state-reported")))

    assert_wrote_the_log(handed_to_aws(library, "fromEventBridge", message))


def test_what_we_publish_materializes_in_the_library_off_a_queue_whose_rule_hands_on_the_detail(library: Path) -> None:
    detail = json.dumps(json.loads(body_of(fact("state-reported")))["detail"])
    record = {"messageId": "message-1", "eventSource": "aws:sqs", "body": detail}

    assert_wrote_the_log(handed_to_aws(library, "fromSqsEvent", {"Records": [record]}))


def test_what_the_library_publishes_materializes_in_our_views(library: Path, loop: Loop, equipment_id: str) -> None:
    state = sample("domain", "state-reported")["state"] | {"equipmentId": equipment_id}
    told = {"id": equipment_id, "type": "state-reported", "timestamp": 1587739800000, "partitionKey": equipment_id}

    call = handed_to_aws(library, "publish", told | {"state": state})

    (entry,) = call["input"]["Entries"]
    detail = json.loads(entry["Detail"])
    assert call["operation"] == "PutEventsCommand"
    assert detail["tags"].items() >= {"source": "equipment", "stage": "local", "pipeline": "tells"}.items()
    loop.listen([json.dumps({"source": entry["Source"], "detail-type": entry["DetailType"], "detail": detail})])
    assert loop.request("GET /equipment/{id}/logs", path={"id": equipment_id}).body["items"] == [state]
