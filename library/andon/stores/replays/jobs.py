"""Storage of replays: a row for each job, and rows for its progress."""

from collections.abc import Iterable
from typing import Final, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.key_query import BeginsWith, KeyQuery
from andon.recorded import lake
from andon.runtime.errors import CallFailed
from andon.runtime.json_types import members_of
from andon.stores.replays.replay import (
    RUNNING,
    ObjectSent,
    Progress,
    ReplayRow,
    State,
    admitted,
    is_current,
    is_whole,
    moved,
    name_of_object,
    require_replay,
    time_of,
)
from andon.stores.replays.store import BUCKET
from andon.stores.replays.tables import KEYS, TABLE
from andon.wire.bucket import Bucket

_ATTEMPTS: Final = 20

# So long after it was admitted a job is kept, and its days are asked for.
_MOMENT_MS: Final = 60_000
_PAGE: Final = 1000

_TOGETHER: Final = KEYS.of("Replay#together", "Rates")
_DAY: Final = "Day#"
_DONE: Final = "Done#"

_SAME: Final = "attribute_not_exists(#admitted) OR #admitted = :admitted"
_UNCHANGED: Final = "#run = :run AND #state = :state"
_FREE: Final = f"{_UNCHANGED} AND #free = :free"

_lake = Bucket(BUCKET)


def days_in_lake() -> list[str]:
    """List the days that the lake has, in order."""
    return [lake.day_in(folder) for folder in _lake.folders(f"{lake.EVENTS}/")]


def keep(row: ReplayRow) -> None:
    """Keep a job; the same one again changes nothing."""
    TABLE.put({**_job_key(row["id"]), **row}, condition=UNCONDITIONAL)


def find(job_id: str) -> ReplayRow | None:
    """Return a job as it is now, None if there is none."""
    return _job_in(TABLE.get(_job_key(job_id), consistent=True))


def admit(row: ReplayRow, *, now_ms: int) -> None:
    """Note that a job runs, beside those that do, once; whoever does not run any more is forgotten.

    Raises:
        Conflict: together they would send too much.
        CallFailed: others were admitted at each attempt.

    """
    for _ in range(_ATTEMPTS):
        found = TABLE.get(_TOGETHER, consistent=True) or {"rates": {}, "admitted": 0}
        running = {job: one for job, one in found["rates"].items() if _is_running(job, one["atMs"], now_ms)}
        if row["id"] in running:
            return
        assign = {"rates": admitted(running, row, now_ms=now_ms), "admitted": found["admitted"] + 1}
        is_same = Condition(_SAME, {"admitted": "admitted"}, {"admitted": found["admitted"]})
        try:
            TABLE.update(_TOGETHER, assign=assign, condition=is_same)
        except ConditionFailed:
            continue
        return
    raise CallFailed("ReplayContended")


def _is_running(job_id: str, admitted_ms: int, now_ms: int) -> bool:
    """Return True if a job that was admitted runs, or is about to be kept."""
    row = find(job_id)
    if row is None:
        return now_ms < admitted_ms + _MOMENT_MS
    return row["state"] == RUNNING and not is_whole(row, progress(job_id))


def move(row: ReplayRow, state: State, *, now_ms: int) -> ReplayRow:
    """Pause, resume or cancel a job, as it was read; return it as it is then.

    Raises:
        NotFound: it has expired since.
        Conflict: it was cancelled.
        CallFailed: others changed it at each attempt.

    """
    key, found = _job_key(row["id"]), row
    for _ in range(_ATTEMPTS):
        assign, condition = moved(found, state, now_ms=now_ms), _if(_UNCHANGED, found)
        try:
            return require_replay(_job_in(TABLE.update_and_return(key, assign=assign, condition=condition)))
        except ConditionFailed as failed:
            found = require_replay(_job_in(failed.row))
    raise CallFailed("ReplayContended")


def reserve(row: ReplayRow, events: int, *, now_ms: int) -> int | None:
    """Take the next free time for so many events; return when it begins, None if the job does not go on.

    Raises:
        CallFailed: others took one at each attempt.

    """
    found: ReplayRow | None = row
    for _ in range(_ATTEMPTS):
        if found is None or not is_current(found, row["run"]):
            return None
        at_ms = max(found["freeMs"], now_ms)
        free_ms = time_of(events, at_ms=at_ms, rate=row["rate"])
        try:
            TABLE.update(_job_key(row["id"]), assign={"freeMs": free_ms}, condition=_if(_FREE, found))
        except ConditionFailed as failed:
            found = _job_in(failed.row)
        else:
            return at_ms
    raise CallFailed("ReplayContended")


def note_day(row: ReplayRow, day: str, objects: int) -> None:
    """Record the number of a day's objects, when all of them were asked for."""
    assign = {"objects": objects, "ttl": row["ttl"]}
    TABLE.update(KEYS.of(_partition_of(row["id"]), f"{_DAY}{day}"), assign=assign, condition=UNCONDITIONAL)


def mark(row: ReplayRow, key: str, sent: ObjectSent, *, until_ms: int) -> None:
    """Note that an object is done, and when the last of its messages is visible."""
    assign = {name_of_object(key): sent, "untilMs": until_ms, "ttl": row["ttl"]}
    TABLE.update(_done_key(row["id"], key), assign=assign, condition=UNCONDITIONAL)


def is_done(row: ReplayRow, key: str) -> bool:
    """Return True if an object is done."""
    marks = TABLE.get(_done_key(row["id"], key), consistent=True)
    return marks is not None and name_of_object(key) in marks


def done_of(row: ReplayRow, day: str) -> set[str]:
    """Return the names of the objects of a day that are done."""
    return {*_done_in(_rows(row["id"], f"{_DONE}{day}T"))}


def progress(job_id: str) -> Progress:
    """Return the progress of a job."""
    rows = _rows(job_id)
    days = [row for row in rows if row["sk"].startswith(_DAY)]
    marks = [row for row in rows if row["sk"].startswith(_DONE)]
    done = [*_done_in(marks).values()]
    return Progress(
        days=len(days),
        objects=sum(row["objects"] for row in days),
        done=len(done),
        sent=sum(one["sent"] for one in done),
        faults=sum(one["faults"] for one in done),
        until_ms=max((row["untilMs"] for row in marks), default=0),
    )


def _partition_of(job_id: str) -> str:
    return f"Replay#{job_id}"


def _job_key(job_id: str) -> Item:
    return KEYS.of(_partition_of(job_id), "Job")


def _done_key(job_id: str, key: str) -> Item:
    """Return the key of the row in which an object is marked."""
    return KEYS.of(_partition_of(job_id), f"{_DONE}{lake.hour_in(key)}:{name_of_object(key)[2]}")


def _done_in(rows: Iterable[Item]) -> dict[str, ObjectSent]:
    """Return the marks in some rows, by the name of the object."""
    marks = [(name, value) for row in rows for name, value in row.items() if isinstance(value, dict)]
    return {name: members_of(ObjectSent, mark) for name, mark in marks}


def _job_in(item: Item | None) -> ReplayRow | None:
    return cast("ReplayRow | None", item)


def _rows(job_id: str, prefix: str | None = None) -> list[Item]:
    sort = None if prefix is None else BeginsWith(prefix)
    query = KeyQuery(keys=KEYS, partition=_partition_of(job_id), sort=sort, forward=True)
    return TABLE.query_all(query, page=_PAGE, consistent=True)


def _if(expression: str, row: ReplayRow) -> Condition:
    names = {"run": "run", "state": "state"}
    values: Item = {"run": row["run"], "state": row["state"]}
    if expression == _FREE:
        names, values = {**names, "free": "freeMs"}, {**values, "free": row["freeMs"]}
    return Condition(expression, names, values)
