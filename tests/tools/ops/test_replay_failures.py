import io
import json
from collections.abc import Iterator
from typing import Any

import pytest

from andon.cdk.names import FAILURES
from andon.packages.package import Package
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from andon.tools.ops.replay_failures import failures, replay, sources
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed
from andon.wire import aws
from tests.support.samples import NOW

TABLE, LOG = "EQUIPMENT_TABLE", "STATE_LOG_TABLE"
OUTPUTS = {
    "EquipmentTrigger": "equipment-trigger",
    "EquipmentFailuresBucket": "failures",
    "StateLogQueueUrl": "elsewhere",
}
KEY = f"{FAILURES}/5c1b3c2e/shardId-0001/2026/11/22/2026-11-22T05.0{{}}.00-7f1c"


class Functions:
    """Lambda, as far as it is called: the function is the real trigger."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803  boto3's names
        assert FunctionName == OUTPUTS["EquipmentTrigger"]
        try:
            self._loop.invoke(Package("services", "equipment"), "trigger", json.loads(Payload))
        except Exception as error:  # noqa: BLE001  as Lambda does
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(repr(error).encode())}
        return {"Payload": io.BytesIO(b"null")}


@pytest.fixture
def loop() -> Iterator[Loop]:
    with frozen_clock(NOW), Loop() as loop:
        yield loop


@pytest.fixture
def stack(loop: Loop) -> Deployed:
    functions = Functions(loop)
    outputs = OUTPUTS | {"EquipmentFailuresBucket": bucket_of(loop)}
    return Deployed(None, outputs, lambda name: functions if name == "lambda" else aws.client(name), settles_s=0)


def bucket_of(loop: Loop) -> str:
    return next(iter(loop.buckets.values()))


def report(loop: Loop, machine: str) -> list[dict[str, Any]]:
    """Report a state, and take the change out of the stream before its trigger sees it."""
    path = {"id": machine, "timestamp": "2020-04-27T10:00:00.000Z"}
    loop.request("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": "WARNING1"}, groups=["operator"])
    records: list[dict[str, Any]] = loop.new_records(TABLE)
    return records


def give_up(stack: Deployed, minute: int, records: list[dict[str, Any]], **written: object) -> str:
    """Write a batch as Lambda does."""
    key = KEY.format(minute)
    body = {
        "requestContext": {"functionArn": "arn", "condition": "RecordAgeExceeded", "approximateInvokeCount": 900},
        "responseContext": {"statusCode": 200, "functionError": "Unhandled"},
        "DDBStreamBatchInfo": {"shardId": "shardId-0001", "batchSize": len(records)},
        "payload": json.dumps({"Records": records}),
        **written,
    }
    bucket = stack.outputs["EquipmentFailuresBucket"]
    stack.client("s3").put_object(Bucket=bucket, Key=key, Body=json.dumps(body).encode())
    return key


def kept(stack: Deployed) -> list[str]:
    [source] = sources(stack.outputs)
    return [failure.key for failure in failures(stack.client("s3"), source.bucket)]


def machines(loop: Loop) -> set[str]:
    loop.run()
    return {row["DeviceID"] for row in loop.rows(LOG)}


def test_what_a_trigger_gave_up_on_is_published_and_its_object_is_gone(loop: Loop, stack: Deployed) -> None:
    give_up(stack, 1, report(loop, "press-1"))
    give_up(stack, 0, report(loop, "press-2"))
    assert machines(loop) == set()
    [source] = sources(stack.outputs)

    outcomes = [*replay(stack, source)]

    assert [(one.failure.time[:16], one.error) for one in outcomes] == [
        ("2026-11-22T05.00", None),
        ("2026-11-22T05.01", None),
    ]
    assert machines(loop) == {"press-1", "press-2"}
    assert kept(stack) == []


def test_what_fails_again_stays_and_holds_up_nothing(loop: Loop, stack: Deployed) -> None:
    stays = give_up(stack, 0, report(loop, "press-1"))
    give_up(stack, 1, report(loop, "press-2"))
    [source] = sources(stack.outputs)

    with Wire() as wire:
        wire.refuse_entries(lambda entry: "ThrottlingException" if "press-1" in entry["Detail"] else None)
        failed, done = [*replay(stack, source)]

    assert "NotPublished" in str(failed.error)
    assert done.error is None
    assert kept(stack) == [stays]
    assert machines(loop) == {"press-2"}


def test_a_second_time_changes_nothing(loop: Loop, stack: Deployed) -> None:
    records = report(loop, "press-1")
    [source] = sources(stack.outputs)
    rows = []
    for _ in range(2):
        give_up(stack, 0, records)
        assert [one.error for one in replay(stack, source)] == [None]
        loop.run()
        rows.append(loop.rows(LOG))

    assert rows[0] == rows[1] != []


def test_a_batch_is_read_whether_lambda_wrote_its_event_as_text_or_as_json(loop: Loop, stack: Deployed) -> None:
    records = report(loop, "press-1")
    give_up(stack, 0, records)
    give_up(stack, 1, records, payload={"Records": records})

    one, other = failures(stack.client("s3"), bucket_of(loop))

    assert one.event == other.event == {"Records": records}
    assert str(one) == "2026-11-22T05.00.00-7f1c: 1 changes, RecordAgeExceeded"


@pytest.mark.parametrize(
    "written", [{"payload": "no JSON"}, {"payload": {}}, {"payload": None}, {"requestContext": {}}]
)
def test_an_object_that_lambda_did_not_write_stops_it_before_anything_is_done(
    loop: Loop, stack: Deployed, written: dict[str, object]
) -> None:
    give_up(stack, 0, report(loop, "press-1"))
    give_up(stack, 1, [], **written)
    [source] = sources(stack.outputs)

    with pytest.raises(ToolFailed, match=r"05\.01\.00-7f1c is no batch that Lambda gave up on"):
        next(replay(stack, source))

    assert machines(loop) == set()


def test_a_service_is_found_by_its_name_and_an_unknown_one_is_told_which_there_are() -> None:
    assert [source.service for source in sources(OUTPUTS, "equipment")] == ["Equipment"]
    with pytest.raises(ToolFailed, match="there is no service press; there are Equipment"):
        sources(OUTPUTS, "press")
