"""Rows that somebody corrupted on the deployed stack are found, reported and repaired while reports go on."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any, Final

from andon.dynamodb.attribute_values import Item, to_plain, to_typed
from andon.recorded.archive import shard_of
from andon.recorded.lake import lines_of
from andon.runtime import times
from andon.tools.listings import keys_in
from andon.tools.stack import audit
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups

MINUTE_MS: Final = 60_000
MACHINE, BUSY = "press-that-drifts", "press-that-reports-meanwhile"
REPORTS: Final = 6
NEVER: Final = "4102444800000#from a clock that is wrong"


def report(stack: Stack, machine: str, at_ms: int) -> None:
    path = path_of("equipment", machine, "states", times.to_utc(at_ms))
    assert stack.api(groups.OPERATOR).put(path, {"state": "WARNING1", "detail": "hot"}).status == 201


def rows_of(stack: Stack, machine: str) -> list[Item]:
    found = stack.client("dynamodb").query(
        TableName=stack.outputs["StateLogTable"],
        KeyConditionExpression="DeviceID = :id",
        FilterExpression="attribute_exists(Detail)",
        ExpressionAttributeValues={":id": {"S": machine}},
        ConsistentRead=True,
    )
    return [to_plain(row) for row in found["Items"]]


def findings(stack: Stack, machine: str) -> list[dict[str, Any]]:
    items = stack.api(groups.AUDITOR).get("/drift").json["items"]
    return [one for one in items if machine in one["key"].values()]


class LakeLines:
    """The lines of the lake; each object is read once."""

    def __init__(self, stack: Stack) -> None:
        self._s3, self._bucket = stack.client("s3"), stack.outputs["LakeBucket"]
        self._lines = dict[str, list[str]]()

    def lines_about(self, machine: str) -> int:
        """Return the number of findings and reports of a machine in the lake: those that a look can know."""
        for key in keys_in(self._s3, self._bucket, "events/"):
            if key not in self._lines:
                body = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
                self._lines[key] = [line.replace(": ", ":") for line in lines_of(body)]
        said = f'"partitionKey":"{machine}"'
        return sum(said in line for lines in self._lines.values() for line in lines)


@contextmanager
def reporting(stack: Stack, machine: str) -> Iterator[None]:
    """Let a machine report three times a second meanwhile."""
    ended = Event()

    def go_on() -> None:
        while not ended.wait(0.3):
            report(stack, machine, int(time.time() * 1000))

    with ThreadPoolExecutor(1) as pool:
        going: Future[None] = pool.submit(go_on)
        try:
            yield
        finally:
            ended.set()
        going.result()


def test_corrupted_rows_are_found_and_repaired_under_traffic_and_a_second_look_finds_none(stack: Stack) -> None:
    now_ms = int(time.time() * 1000)
    for number in range(REPORTS):
        report(stack, MACHINE, now_ms - number * MINUTE_MS)
    assert eventually(lambda: len(rows_of(stack, MACHINE)) == REPORTS)
    lake = LakeLines(stack)
    assert eventually(lambda: lake.lines_about(MACHINE) == REPORTS)
    sound = rows_of(stack, MACHINE)
    wrong: list[Item] = [{"Detail": "corrupt"}, {"State": "CORRUPT"}, {"oplock#reported": NEVER, "Detail": "frozen"}]
    for row, change in zip(sound, wrong, strict=False):
        item = to_typed(row | change)
        stack.client("dynamodb").put_item(TableName=stack.outputs["StateLogTable"], Item=item)

    with reporting(stack, BUSY):
        assert stack.api(groups.ADMIN).request("POST", "/drift/state_log").status == 202
        assert eventually(lambda: len(findings(stack, MACHINE)) == len(wrong))
        assert eventually(lambda: rows_of(stack, MACHINE) == sound)
        counted = audit.run(stack.outputs, {shard_of(machine) for machine in (MACHINE, BUSY)})

    assert sorted(one["kinds"] for one in findings(stack, MACHINE)) == [["ahead"], ["values"], ["values"]]
    assert {(counts["drift"], counts["failed"]) for counts in counted.values()} == {(0, 0)}
    assert {"board", "state_log"} <= counted.keys()
    assert counted["state_log"]["rows"] > REPORTS
    assert findings(stack, BUSY) == []
