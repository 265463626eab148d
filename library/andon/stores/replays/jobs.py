"""Storage of replays: a row for each job, and rows for its progress."""

from typing import Any, Final, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.recorded import lake
from andon.runtime.errors import CallFailed
from andon.stores.replays import pace
from andon.stores.replays.replay import (
    Progress,
    ReplayRow,
    Sent,
    State,
    day_key,
    done_in,
    done_key,
    done_prefix,
    is_current,
    job_key,
    moved,
    name_of_object,
    progress_of,
    require_replay,
)
from andon.stores.replays.store import BUCKET
from andon.stores.replays.tables import TABLE, all_of
from andon.wire.bucket import Bucket

ATTEMPTS: Final = 20
PAGE: Final = 1000

UNCHANGED: Final = "#run = :run AND #state = :state"
FREE: Final = f"{UNCHANGED} AND #free = :free"

_lake = Bucket(BUCKET)


def days_in_lake() -> list[str]:
    """List the days that the lake has, in order."""
    return [lake.day_in(folder) for folder in _lake.folders(f"{lake.EVENTS}/")]


def keep(row: ReplayRow) -> None:
    """Keep a job; the same one again changes nothing."""
    TABLE.put({**job_key(row["id"]), **row}, condition=UNCONDITIONAL)


def find(job_id: str) -> ReplayRow | None:
    """Return a job as it is now, None if there is none."""
    return cast("ReplayRow | None", TABLE.get(job_key(job_id), consistent=True))


def move(job_id: str, state: State, *, now_ms: int) -> ReplayRow:
    """Pause, resume or cancel a job; return it as it is then.

    Raises:
        NotFound: there is none.
        Conflict: it was cancelled.
        CallFailed: others changed it at each of `ATTEMPTS` attempts.

    """
    row = find(job_id)
    for _ in range(ATTEMPTS):
        found = require_replay(row)
        try:
            made = TABLE.update_and_return(
                job_key(job_id), assign=moved(found, state, now_ms=now_ms), condition=_if(UNCHANGED, found)
            )
        except ConditionFailed as failed:
            row = cast("ReplayRow | None", failed.row)
        else:
            return cast("ReplayRow", made)
    raise CallFailed("ReplayContended")


def reserve(row: ReplayRow, events: int, *, now_ms: int) -> int | None:
    """Take the next free time for so many events; return when it begins, None if the job does not go on.

    Raises:
        CallFailed: others took one at each of `ATTEMPTS` attempts.

    """
    found: ReplayRow | None = row
    for _ in range(ATTEMPTS):
        if found is None or not is_current(found, row["run"]):
            return None
        at_ms = max(found["freeMs"], now_ms)
        free_ms = pace.time_of(events, at_ms=at_ms, rate=row["rate"])
        try:
            TABLE.update(job_key(row["id"]), assign={"freeMs": free_ms}, condition=_if(FREE, found))
        except ConditionFailed as failed:
            found = cast("ReplayRow | None", failed.row)
        else:
            return at_ms
    raise CallFailed("ReplayContended")


def note_day(row: ReplayRow, day: str, objects: int) -> None:
    """Record the number of a day's objects, when all of them were asked for."""
    assign = {"objects": objects, "ttl": row["ttl"]}
    TABLE.update(day_key(row["id"], day), assign=assign, condition=UNCONDITIONAL)


def mark(row: ReplayRow, key: str, sent: Sent, *, until_ms: int) -> None:
    """Note that an object is done, and when the last of its messages is visible."""
    assign = {name_of_object(key): sent, "untilMs": until_ms, "ttl": row["ttl"]}
    TABLE.update(done_key(row["id"], key), assign=assign, condition=UNCONDITIONAL)


def is_done(row: ReplayRow, key: str) -> bool:
    """Return True if an object is done."""
    marks = TABLE.get(done_key(row["id"], key), consistent=True)
    return marks is not None and name_of_object(key) in marks


def done_of(row: ReplayRow, day: str) -> set[str]:
    """Return the names of the objects of a day that are done."""
    return {*done_in(_rows(row["id"], done_prefix(day)))}


def progress(job_id: str) -> Progress:
    """Return the progress of a job."""
    return progress_of(_rows(job_id))


def _rows(job_id: str, prefix: str | None = None) -> list[Item]:
    rows, start = list[Item](), None
    while True:
        page = TABLE.query(all_of(job_id, prefix), limit=PAGE, start=start, consistent=True)
        rows += page.items
        start = page.last_key
        if start is None:
            return rows


def _if(expression: str, row: ReplayRow) -> Condition:
    names: dict[str, str] = {"run": "run", "state": "state"}
    values: dict[str, Any] = {"run": row["run"], "state": row["state"]}
    if expression == FREE:
        names, values = {**names, "free": "freeMs"}, {**values, "free": row["freeMs"]}
    return Condition(expression, names, values)
