"""The effects of `make redrive` and `make replay-failures` on the deployed stack."""

import json
import time

from andon.cdk.names import FAILURES
from andon.runtime import times
from andon.tools.ops.redrive import pair_of, redrive, waiting
from andon.tools.ops.replay_failures import failures, replay, sources
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.views.deployed import Deployed
from contract import groups
from tests.support.archive import line_of, report_of
from tests.support.samples import sample


def deployed(stack: Stack) -> Deployed:
    return Deployed(None, stack.outputs, stack.client, settles_s=0)


def has_log(stack: Stack, machine: str) -> bool:
    return bool(stack.api(groups.OPERATOR).get(f"/equipment/{machine}/logs").json["items"])


def test_a_dead_letter_goes_back_to_its_queue_and_into_the_view(stack: Stack) -> None:
    pair, sqs, now_ms = pair_of(stack.outputs, "state_log"), stack.client("sqs"), int(time.time() * 1000)
    report = report_of("press-dead", at_ms=now_ms, event_id="was dead", timestamp=times.to_utc(now_ms))
    sqs.send_message(QueueUrl=pair.dead_letters, MessageBody=line_of(report, at_ms=now_ms))
    assert eventually(lambda: waiting(sqs, pair.dead_letters) == 1)

    assert redrive(sqs, pair) == 1

    assert eventually(lambda: has_log(stack, "press-dead"))
    assert waiting(sqs, pair.dead_letters) == 0


def test_what_a_trigger_gave_up_on_goes_through_it_again(stack: Stack) -> None:
    [source], s3, batch = sources(stack.outputs, "equipment"), stack.client("s3"), sample("stream", "state-reported")
    of_old = batch["Records"][0]["dynamodb"]["Keys"]["sk"]["S"]
    payload = json.dumps(batch).replace("d#12345", "press-given-up")
    payload = payload.replace(of_old, times.to_utc(int(time.time() * 1000)))
    written = {"requestContext": {"condition": "RecordAgeExceeded"}, "payload": payload}
    key = f"{FAILURES}/mapping/shard/2026/11/22/2026-11-22T05.00.00-1"
    s3.put_object(Bucket=source.bucket, Key=key, Body=json.dumps(written).encode())

    assert [one.error for one in replay(deployed(stack), source)] == [None]

    assert failures(s3, source.bucket) == []
    assert eventually(lambda: has_log(stack, "press-given-up"))
