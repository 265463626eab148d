from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, Final

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from andon.tools.ops import redrive as tool
from andon.tools.ops.redrive import Pair, pair_of, pairs, redrive, show, waiting
from andon.tools.stack.errors import ToolFailed

Client = Any  # boto3's

OUTPUTS: Final = {
    "BoardQueueUrl": "https://sqs/board",
    "BoardDeadLetterQueueUrl": "https://sqs/board-dead",
    "StateLogQueueUrl": "https://sqs/log",
    "StateLogDeadLetterQueueUrl": "https://sqs/log-dead",
    "ApiUrl": "https://api",
}
BOARD: Final = Pair("Board", "https://sqs/board", "https://sqs/board-dead")
ARN: Final = "arn:aws:sqs:eu-central-1:123456789012:"


@pytest.fixture
def sqs(monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(tool, "POLL_SECONDS", 0)
    return boto3.client("sqs", region_name="eu-central-1", aws_access_key_id="a", aws_secret_access_key="b")


@pytest.fixture
def queues() -> Iterator[tuple[Client, Pair]]:
    """Two queues where, as on the emulator, nobody knows how to start a task that moves messages."""
    with mock_aws():
        sqs = boto3.client("sqs", region_name="us-east-1")
        refused = SimpleNamespace(status_code=400), {"Error": {"Code": "InvalidAction", "Message": "not valid here"}}
        sqs.meta.events.register("before-call.sqs.StartMessageMoveTask", lambda **_: refused)
        urls = [sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("board", "board-dead")]
        yield sqs, Pair("Board", *urls)


def script(stub: Stubber, *tasks: dict[str, object], **more: object) -> None:
    """Let AWS expect to be asked to move messages, and then to be asked how far it is."""
    for name in ("board-dead", "board"):
        asked = {"QueueUrl": f"https://sqs/{name}", "AttributeNames": ["QueueArn"]}
        stub.add_response("get_queue_attributes", {"Attributes": {"QueueArn": f"{ARN}{name}"}}, asked)
    moved = {"SourceArn": f"{ARN}board-dead", "DestinationArn": f"{ARN}board", **more}
    stub.add_response("start_message_move_task", {"TaskHandle": "task"}, moved)
    for task in tasks:
        looked = {"SourceArn": f"{ARN}board-dead", "MaxResults": 1}
        stub.add_response("list_message_move_tasks", {"Results": [task]}, looked)


def test_a_queue_is_found_by_its_name_however_it_is_written() -> None:
    assert pair_of(OUTPUTS, "board") == pair_of(OUTPUTS, "Board") == BOARD
    assert pair_of(OUTPUTS, "state_log") == pair_of(OUTPUTS, "StateLog")
    assert [pair.name for pair in pairs(OUTPUTS)] == ["Board", "StateLog"]
    with pytest.raises(ToolFailed, match="there is no queue press; there are Board, StateLog"):
        pair_of(OUTPUTS, "press")


def test_aws_is_told_where_messages_go_for_rules_put_some_there_themselves(sqs: Client) -> None:
    with Stubber(sqs) as stub:
        script(
            stub,
            {"Status": "RUNNING", "ApproximateNumberOfMessagesMoved": 1},
            {"Status": "COMPLETED", "ApproximateNumberOfMessagesMoved": 7},
        )

        assert redrive(sqs, BOARD) == 7

        stub.assert_no_pending_responses()


def test_messages_may_be_moved_slowly(sqs: Client) -> None:
    with Stubber(sqs) as stub:
        script(stub, {"Status": "COMPLETED", "ApproximateNumberOfMessagesMoved": 7}, MaxNumberOfMessagesPerSecond=5)

        assert redrive(sqs, BOARD, rate=5) == 7


def test_a_task_that_fails_says_why(sqs: Client) -> None:
    failed = {"Status": "FAILED", "ApproximateNumberOfMessagesMoved": 3, "FailureReason": "AWS.Quota"}
    with Stubber(sqs) as stub:
        script(stub, failed)

        with pytest.raises(ToolFailed, match=r"FAILED after 3 messages: AWS\.Quota"):
            redrive(sqs, BOARD)


def test_where_there_are_no_such_tasks_each_message_is_moved_with_its_attributes(queues: tuple[Client, Pair]) -> None:
    sqs, pair = queues
    rule = {"RULE_ARN": {"DataType": "String", "StringValue": "arn:rule"}}
    for number in range(12):
        sqs.send_message(QueueUrl=pair.dead_letters, MessageBody=f"m{number}", MessageAttributes=rule)

    assert redrive(sqs, pair) == 12

    assert (waiting(sqs, pair.queue), waiting(sqs, pair.dead_letters)) == (12, 0)
    [message] = sqs.receive_message(QueueUrl=pair.queue, MessageAttributeNames=["All"])["Messages"]
    assert message["MessageAttributes"] == rule
    assert redrive(sqs, pair) == 0


def test_to_show_messages_moves_none_and_says_what_the_bus_said_of_them(queues: tuple[Client, Pair]) -> None:
    sqs, pair = queues
    why = {"ERROR_CODE": {"DataType": "String", "StringValue": "NO_PERMISSIONS"}}
    sqs.send_message(QueueUrl=pair.dead_letters, MessageBody='{"detail-type":"x"}', MessageAttributes=why)

    [shown] = show(sqs, pair)

    assert "NO_PERMISSIONS" in shown
    assert '{"detail-type":"x"}' in shown
    assert waiting(sqs, pair.dead_letters) == 1
