"""Storage of replays: a row for each job, and rows for its progress."""

from typing import Final, cast

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.errors import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.recorded import lake
from andon.runtime.errors import CallFailed
from andon.stores.replays.replay import (
    RUNNING,
    ObjectSent,
    Progress,
    ReplayRow,
    State,
    admitted,
    day_key,
    done_in,
    done_key,
    done_prefix,
    is_current,
    is_whole,
    job_key,
    moved,
    name_of_object,
    progress_of,
    require_replay,
)
from andon.stores.replays.store import BUCKET
from andon.stores.replays.tables import TABLE, TOGETHER, all_of
from andon.wire.bucket import Bucket

# At which time each event of a replay is due, so that a view gets `rate` of them a second. Pure.
#
# An object gets a time of its own: behind all objects that have one. Its events are sent a little ahead, and the
# queue holds each back until it is due. So nothing waits in a function, and a replay that is paused ends within
# seconds.

# How far ahead messages are sent. As long a replay goes on that is paused.
LEAD_MS: Final = 20_000

# Messages of one object in one step, so that ten objects end well within the function's time.
MOST_AT_ONCE: Final = 2_000

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
LONGEST_DELAY_SECONDS: Final = 900


def time_of(number: int, *, at_ms: int, rate: int) -> int:
    """Return the time at which an event is due (epoch milliseconds), by its number within its object (from 0)."""
    return at_ms + number * 1000 // rate


def sent_by(*, at_ms: int, sent: int, count: int, rate: int, now_ms: int) -> int:
    """Return the number of `count` events that are sent after this step; `sent` are so already."""
    within = (now_ms + LEAD_MS - at_ms) * rate // 1000 + 1
    return max(sent, min(count, within, sent + MOST_AT_ONCE))


def is_missed(*, at_ms: int, sent: int, rate: int, now_ms: int) -> bool:
    """Return True if the next event is so overdue that its object needs a new time, or many would come at once."""
    return time_of(sent, at_ms=at_ms, rate=rate) < now_ms - LEAD_MS


def delay_seconds(due_ms: int, *, now_ms: int) -> int:
    """Return the delay in a queue of a message that is due at `due_ms`, in seconds."""
    return min(LONGEST_DELAY_SECONDS, max(0, (due_ms - now_ms) // 1000))


def again_after(due_ms: int, *, now_ms: int) -> int:
    """Return the seconds until the work on an object goes on, whose next event is due at `due_ms`."""
    return delay_seconds(due_ms - LEAD_MS // 2, now_ms=now_ms)


ATTEMPTS: Final = 20

# So long after it was admitted a job is kept, and its days are asked for.
MOMENT_MS: Final = 60_000
PAGE: Final = 1000

SAME: Final = "attribute_not_exists(#admitted) OR #admitted = :admitted"
ADMITTED: Final = {"admitted": "admitted"}

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
    return _job_in(TABLE.get(job_key(job_id), consistent=True))


def admit(row: ReplayRow, *, now_ms: int) -> None:
    """Note that a job runs, beside those that do, once; whoever does not run any more is forgotten.

    Raises:
        Conflict: together they would send too much.
        CallFailed: others were admitted at each of `ATTEMPTS` attempts.

    """
    for _ in range(ATTEMPTS):
        found = TABLE.get(TOGETHER, consistent=True) or {"rates": {}, "admitted": 0}
        running = {job: one for job, one in found["rates"].items() if _is_running(job, one["atMs"], now_ms)}
        if row["id"] in running:
            return
        assign = {"rates": admitted(running, row, now_ms=now_ms), "admitted": found["admitted"] + 1}
        try:
            TABLE.update(TOGETHER, assign=assign, condition=Condition(SAME, ADMITTED, {"admitted": found["admitted"]}))
        except ConditionFailed:
            continue
        return
    raise CallFailed("ReplayContended")


def _is_running(job_id: str, admitted_ms: int, now_ms: int) -> bool:
    """Return True if a job that was admitted runs, or is about to be kept."""
    row = find(job_id)
    if row is None:
        return now_ms < admitted_ms + MOMENT_MS
    return row["state"] == RUNNING and not is_whole(row, progress(job_id))


def move(row: ReplayRow, state: State, *, now_ms: int) -> ReplayRow:
    """Pause, resume or cancel a job, as it was read; return it as it is then.

    Raises:
        NotFound: it has expired since.
        Conflict: it was cancelled.
        CallFailed: others changed it at each of `ATTEMPTS` attempts.

    """
    key, found = job_key(row["id"]), row
    for _ in range(ATTEMPTS):
        assign, condition = moved(found, state, now_ms=now_ms), _if(UNCHANGED, found)
        try:
            return require_replay(_job_in(TABLE.update_and_return(key, assign=assign, condition=condition)))
        except ConditionFailed as failed:
            found = require_replay(_job_in(failed.row))
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
        free_ms = time_of(events, at_ms=at_ms, rate=row["rate"])
        try:
            TABLE.update(job_key(row["id"]), assign={"freeMs": free_ms}, condition=_if(FREE, found))
        except ConditionFailed as failed:
            found = _job_in(failed.row)
        else:
            return at_ms
    raise CallFailed("ReplayContended")


def note_day(row: ReplayRow, day: str, objects: int) -> None:
    """Record the number of a day's objects, when all of them were asked for."""
    assign = {"objects": objects, "ttl": row["ttl"]}
    TABLE.update(day_key(row["id"], day), assign=assign, condition=UNCONDITIONAL)


def mark(row: ReplayRow, key: str, sent: ObjectSent, *, until_ms: int) -> None:
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


def _job_in(item: Item | None) -> ReplayRow | None:
    return cast("ReplayRow | None", item)


def _rows(job_id: str, prefix: str | None = None) -> list[Item]:
    return TABLE.query_all(all_of(job_id, prefix), page=PAGE, consistent=True)


def _if(expression: str, row: ReplayRow) -> Condition:
    names = {"run": "run", "state": "state"}
    values: Item = {"run": row["run"], "state": row["state"]}
    if expression == FREE:
        names, values = {**names, "free": "freeMs"}, {**values, "free": row["freeMs"]}
    return Condition(expression, names, values)
