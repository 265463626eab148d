"""Well-formed but harmful writes of a neighbour: events on the bus, faults, a model, an object of the lake.

Malformed events are `poison`'s; a page on a wall that gets them is tried in `tests/pages/board/items.mjs`.
"""

import gzip
import json
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

from andon.packages.discovery import stores
from andon.recorded import archive, lake
from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS
from andon.tools.listings import objects_in
from andon.tools.stack.processes import eventually
from lab.attack import events, queues
from lab.attack.operations import OURS
from lab.attack.target import AttackTarget
from services.anomalies.current_model import CURRENT, key_of

PART: Final = "others"
NEIGHBOUR: Final = "neighbour"
MEMBERS: Final = 8_000
AHEAD: Final = [f"{year}-01-01T00:00:00.000Z" for year in (2030, 2100, 2285)]
UNTIL_S: Final = 9_999_999_999
SAID_OFTEN: Final = 100  # of the lake's bytes: each event of an actor, in members of its own
SWEEP_S: Final = 300
AGAIN_S: Final = 30  # AWS tries a worker again that was killed meanwhile, the emulator does not
BOMB: Final = "hour=00/000000-bomb.ndjson.gz"
BOMB_BYTES: Final = 4 * lake.MOST_LINE_BYTES
FAULTY: Final = f"{OURS}faulty"
MODELS: Final = (
    '{"version": "bad"}', '{"version": "bad", "trainedUntil": 1e400}', "[" * 100_000, "null", "", "\x00",
    '{"version": "bad", "machines": ' + '{"a":' * 900 + "1" + "}" * 901,
)  # fmt: skip


def attack(target: AttackTarget, *, count: int) -> None:
    """Put so many of each event on the bus."""
    wide = events.about(f"{OURS}wide", "crew-assigned")
    wide["detail"]["crew"]["members"] = [f"{OURS}member-{number}" for number in range(MEMBERS)] + ["x" * 100_000]
    put(target, wide | {"source": NEIGHBOUR})
    for number in range(count):
        at = AHEAD[number % len(AHEAD)].replace("-01-01", f"-01-{1 + number % 28:02}")
        event = events.about(f"{OURS}ahead-{number}")
        event["detail"]["timestamp"] = times.to_ms(at)
        taken = event | {"source": NEIGHBOUR, "id": event["detail"]["id"], "time": at}
        # The emulator's bus takes no time from who publishes.
        queues.send(target.stack, target.stack.outputs[queues.LAKE], [json.dumps(taken)])
        for source in (NEIGHBOUR, "state_log"):
            put(target, _fault(f"{FAULTY}-{number}", source, times.to_ms(at)))


def put_model(target: AttackTarget, number: int) -> None:
    """Put an object where the model lies that is none."""
    s3, bucket = target.stack.client("s3"), target.stack.outputs["ModelsBucket"]
    s3.put_object(Bucket=bucket, Key=key_of("bad"), Body=MODELS[number % len(MODELS)].encode())
    s3.put_object(Bucket=bucket, Key=CURRENT, Body=b'{"version": "bad"}')


def check(target: AttackTarget) -> None:
    """Look for what of it was believed."""
    _faults(target)
    _model(target)
    _archive(target)


def put(target: AttackTarget, envelope: dict[str, Any]) -> None:
    """Put an event on the bus."""
    queues.publish(target.stack, envelope, json.dumps(envelope["detail"]))


def _fault(machine: str, source: str, at_ms: int) -> dict[str, Any]:
    """Return a fault whose message would be a row until 2286, if it were put back and believed."""
    message = {**events.about(machine), "replay-name": "x", "lake": True, "until": UNTIL_S}
    fault = events.about(machine, "fault")
    fault["detail"]["fault"] |= {"consumer": "state_log.listener", "message": json.dumps(message)}
    fault["detail"] |= {"id": f"{machine}-{source}", "timestamp": at_ms}
    return fault | {"source": source}


def _faults(target: AttackTarget) -> None:
    """Put back every forged fault: nothing comes of it, and none of the list is of a time to come."""
    listed = target.items("GET /faults")
    newest = max((one["timestamp"] for one in listed), default="")
    held = newest <= times.to_utc(clock.now_ms())
    target.record.expect(PART, "a fault of a time to come", "is the newest for good", held=held, seen=newest)
    forged = [one["id"] for one in listed if one["id"].startswith(FAULTY)]
    target.record.expect(PART, "a forged fault", "none was kept to be tried", held=bool(forged), seen="GET /faults")
    for one in forged:
        answer = target.ask("POST /faults/{id}/resubmit", {"id": one})
        held = answer.status == HTTPStatus.CONFLICT and not one.endswith(NEIGHBOUR)
        target.record.expect(PART, "a forged fault", "may be put back", held=held, seen=f"{one} -> {answer.status}")


def _model(target: AttackTarget) -> None:
    """Let the sweep of anomalies run: it goes on without a model, and says so."""
    lambda_ = target.stack.client("lambda")
    names = [one["FunctionName"] for one in lambda_.list_functions()["Functions"]]
    [sweep] = [name for name in names if "-Anomalies-" in name and "Sweep" in name]
    invoked = lambda_.invoke(FunctionName=sweep, Payload=b"{}")
    held = not invoked.get("FunctionError")
    target.record.expect(PART, "a bad model", "ends the sweep", held=held, seen=str(invoked["Payload"].read()[:500]))
    said = sum("model_unreadable" in line for line in _lines(target, "nomalies"))
    target.record.expect(PART, "a bad model", "is not counted", held=said > 0, seen=f"{said} lines")
    s3, bucket = target.stack.client("s3"), target.stack.outputs["ModelsBucket"]
    for key in (CURRENT, key_of("bad")):
        s3.delete_object(Bucket=bucket, Key=key)


def _lines(target: AttackTarget, part_of_name: str) -> Iterator[str]:
    logs = target.stack.client("logs")
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in (one["logGroupName"] for one in page["logGroups"] if part_of_name in one["logGroupName"]):
            for found in logs.get_paginator("filter_log_events").paginate(logGroupName=group):
                yield from (one["message"] for one in found["events"])


def archived(target: AttackTarget) -> tuple[float, set[str]]:
    """Let the archive's sweep run; return how long it took until today is archived, and what of it never was."""
    today, began_s = _day(0), time.monotonic()
    before = _sizes(target, "LakeBucket", lake.folder_of(today)).keys()
    while time.monotonic() - began_s < SWEEP_S:
        target.stack.client("lambda").invoke(FunctionName=target.stack.outputs["ArchiveSweep"], InvocationType="Event")
        if eventually(lambda: before <= _manifest(target, today), within_s=AGAIN_S):
            break
    return time.monotonic() - began_s, before - _manifest(target, today)


def _archive(target: AttackTarget) -> None:
    """Let the archive's sweep run beside a bomb: today is whole, nothing of later is there, and it is not large."""
    s3, bucket, bomb = target.stack.client("s3"), target.stack.outputs["LakeBucket"], f"{lake.folder_of(_day(1))}{BOMB}"
    days = [lake.day_in(key.rsplit("/", 2)[0] + "/") for key in _sizes(target, "LakeBucket", f"{lake.EVENTS}/")]
    ahead = sorted({day for day in days if day > _day(1)})
    target.record.expect(PART, "a day to come", "is in the lake", held=not ahead, seen=str(ahead[:3]))
    s3.put_object(Bucket=bucket, Key=bomb, Body=gzip.compress(b" " * BOMB_BYTES))  # of the day that comes first
    try:
        took_s, left = archived(target)
    finally:
        s3.delete_object(Bucket=bucket, Key=bomb)
    seen = f"{took_s:.1f} s, {sorted(left)[:3]}"
    target.record.expect(PART, "an endless line", "stops the archive of today", held=not left, seen=seen)
    held = not _manifest(target, _day(1))
    target.record.expect(PART, "an endless line", "is archived", held=held, seen=bomb)
    read = sum(_sizes(target, "LakeBucket", lake.folder_of(_day(0))).values())
    written = sum(sum(_sizes(target, "ArchiveBucket", folder).values()) for folder in _folders(_day(0)))
    seen = f"{read:,} bytes of the lake -> {written:,} of the archive, in {took_s:.1f} s"
    held = written < SAID_OFTEN * read
    target.record.expect(PART, "an event of thousands", "is copied for each", held=held, seen=seen)
    target.record.notes.append(f"others: {seen}")


def _day(ahead: int) -> str:
    return times.to_utc(clock.now_ms() + ahead * DAY_MS)[:10]


def _folders(day: str) -> list[str]:
    [package] = [package for package in stores() if package.name == "archive"]
    return [archive.data_folder(kind.name, day) for kind in package.load("store").KINDS]


def _manifest(target: AttackTarget, day: str) -> set[str]:
    s3, bucket = target.stack.client("s3"), target.stack.outputs["ArchiveBucket"]
    try:
        body = s3.get_object(Bucket=bucket, Key=archive.manifest_key(archive.SUBJECTS, day))["Body"].read()
    except s3.exceptions.NoSuchKey:
        return set()
    return set(json.loads(body)["lake"])


def _sizes(target: AttackTarget, bucket: str, prefix: str) -> dict[str, int]:
    listed = objects_in(target.stack.client("s3"), target.stack.outputs[bucket], prefix)
    return {one["Key"]: one["Size"] for one in listed}
