"""The lake is replayed to one view of the deployed stack, at the rate that was asked for."""

import json
import time
from typing import Final

from andon.runtime import times
from andon.stores.lake import batch
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from tests.support.archive import HOUR_MS, line_of, report_of

MACHINE: Final = "press-that-is-replayed"
EVENTS: Final = 120
OBJECTS: Final = 4
RATE: Final = 60


def put_in_lake(stack: Stack, first_ms: int) -> None:
    """Write reports of one hour into the lake, as if they had come over the bus then."""
    lines = [
        line_of(
            report_of(MACHINE, at_ms=at_ms, event_id=f"replayed {at_ms}", timestamp=times.to_utc(at_ms)), at_ms=at_ms
        )
        for at_ms in range(first_ms, first_ms + EVENTS * 1000, 1000)
    ]
    for number in range(OBJECTS):
        part = lines[number::OBJECTS]
        key = batch.key_of(json.loads(line) for line in part)
        body = batch.to_object(part)
        stack.client("s3").put_object(Bucket=stack.outputs["LakeBucket"], Key=key, Body=body)


def rows(stack: Stack) -> int:
    """Return the number of the machine's logs in the view."""
    found = stack.client("dynamodb").query(
        TableName=stack.outputs["StateLogTable"],
        Select="COUNT",
        KeyConditionExpression="DeviceID = :id",
        ExpressionAttributeValues={":id": {"S": MACHINE}},
    )
    return int(found["Count"])


def test_the_lake_comes_to_one_view_again_at_the_rate_that_was_asked_for(stack: Stack) -> None:
    api, first_ms = stack.api(groups.ADMIN), (int(time.time() * 1000) // HOUR_MS - 48) * HOUR_MS
    put_in_lake(stack, first_ms)
    hour = {"from": times.to_utc(first_ms), "to": times.to_utc(first_ms + EVENTS * 1000)}

    started = time.monotonic()
    begun = api.request("POST", "/replays", {"view": "state_log", "rate": RATE, **hour})

    assert begun.status == 202, begun
    path = begun.headers["location"]
    assert eventually(lambda: rows(stack) == EVENTS)
    took_s = time.monotonic() - started
    print(f"{EVENTS} events were replayed in {took_s:.1f} s; at the rate it is {EVENTS / RATE:.1f} s")  # noqa: T201
    assert took_s >= EVENTS / RATE - 1, "a queue holds back whole seconds"
    assert eventually(lambda: api.get(path).json["state"] == "done")
    done = api.get(path).json
    assert (done["objects"], done["objectsDone"], done["events"], done["faults"]) == (OBJECTS, OBJECTS, EVENTS, 0)
    assert done["eventsPerSecond"] <= RATE
    assert api.get(path_of("equipment", MACHINE, "board")).status == 404, "nobody else hears of it"
    assert api.request("POST", "/replays", {"view": "dispatch"}).status == 400
