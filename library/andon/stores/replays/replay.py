"""A replay: a job that sends the lake's events to the queue of one view again, object by object. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict, final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.identifiers import of_content
from andon.recorded.lake import hour_in
from andon.runtime import times
from andon.runtime.errors import Conflict, Invalid, NotFound
from andon.runtime.json_types import members_of
from andon.stores.replaying import ID_DIGITS
from andon.stores.replays.tables import DAY, DONE, JOB, KEEPS_DAYS, KEYS, partition_of

State = Literal["running", "paused", "cancelled"]
RUNNING: Final = "running"
PAUSED: Final = "paused"
CANCELLED: Final = "cancelled"
DONE_STATE: Final = "done"

MOST_TOGETHER: Final = 2000
"""Events a second that all running jobs send, at most: twice what one may ask for."""


class ReplayRow(TypedDict):
    """A job. `first`, `last`: fixed-width UTC, "" for no beginning. `rate`: events a second.

    run: counts resumptions; messages of an earlier run are dropped. freeMs: from when on nothing is planned yet (epoch
    milliseconds). days: how many days of the lake it takes. ttl: epoch seconds.
    """

    id: str
    view: str
    first: str
    last: str
    rate: int
    state: State
    run: int
    freeMs: int
    days: int
    requestedBy: str
    requestedAt: str
    ttl: int


class Admitted(TypedDict):
    """A job that may run: events a second, and since when (epoch milliseconds)."""

    rate: int
    atMs: int


@final
class DayWork(TypedDict):
    """A message of the own queue: ask for each object of a day."""

    job: str
    run: int
    day: str


@final
class ObjectWork(TypedDict):
    """A message of the own queue: send the events of an object, but the first `sent`, which are sent.

    atMs: the time of the first event in the job's pace (epoch milliseconds); without it the object has no time yet.
    """

    job: str
    run: int
    object: str
    sent: int
    atMs: NotRequired[int]


class ObjectSent(TypedDict):
    """Result for an object: the number of messages sent, and of events that nobody could read."""

    sent: int
    faults: int


_Between = TypedDict("_Between", {"from": NotRequired[str], "to": str})


class ReplayResponse(_Between):
    """A replay. `rate`: events a second, at most; `eventsPerSecond`: since it was asked for, pauses included.

    state: `done` when all messages are on their way to the view. daysPlanned: those whose `objects` are known.
    events: messages that were sent of the objects that are done. faults: events that nobody can read. What the view
    itself cannot use, its log counts as `fault`.
    """

    id: str
    view: str
    rate: int
    state: Literal[State, "done"]
    days: int
    daysPlanned: int  # noqa: N815  the contract's name
    objects: int
    objectsDone: int  # noqa: N815
    events: int
    eventsPerSecond: float  # noqa: N815
    faults: int
    requestedBy: str  # noqa: N815
    requestedAt: str  # noqa: N815


class Progress(NamedTuple):
    """Progress of a job. until_ms: the time at which the view sees the last message that was sent, 0 if none was."""

    days: int
    objects: int
    done: int
    sent: int
    faults: int
    until_ms: int


def plan(view: str, first: str | None, last: str | None, rate: int, *, actor: str, now_ms: int) -> ReplayRow:
    """Return a job without its days, the same one if the same is asked for at the same time.

    Raises:
        Invalid: the first time lies behind the last.

    """
    begins, ends = first or "", last or times.to_utc(now_ms)
    if begins > ends:
        raise Invalid.field("body.from", "lies behind `to`")
    return {
        "id": of_content([view, begins, ends, rate, actor, now_ms], digits=ID_DIGITS),
        "view": view,
        "first": begins,
        "last": ends,
        "rate": rate,
        "state": RUNNING,
        "run": 1,
        "freeMs": now_ms,
        "days": 0,
        "requestedBy": actor,
        "requestedAt": times.to_utc(now_ms),
        "ttl": ttl_at(now_ms, KEEPS_DAYS),
    }


def require_view(view: str, views: Mapping[str, object]) -> str:
    """Return the name of a view.

    Raises:
        Invalid: there is none of that name. A service decides upon events, and would decide again.

    """
    if view not in views:
        raise Invalid.field("body.view", f"is no view: there is {', '.join(sorted(views))}")
    return view


def require_replay(row: ReplayRow | None) -> ReplayRow:
    """Return the job.

    Raises:
        NotFound: there is none.

    """
    if row is None:
        raise NotFound("There is no such replay.")
    return row


def moved(row: ReplayRow, state: State, *, now_ms: int) -> Item:
    """Return the attributes that change when a job is paused, resumed or cancelled; whoever resumes begins a new run.

    Raises:
        Conflict: it was cancelled, which is for good.

    """
    if state != CANCELLED:
        require_resumable(row)
    return {"state": state} if state != RUNNING else {"state": state, "run": row["run"] + 1, "freeMs": now_ms}


def require_resumable(row: ReplayRow) -> ReplayRow:
    """Return the job.

    Raises:
        Conflict: it was cancelled, which is for good.

    """
    if row["state"] == CANCELLED:
        raise Conflict("The replay was cancelled. Begin another one.")
    return row


def is_current(row: ReplayRow | None, run: int) -> bool:
    """Return True if messages of a run are still to be worked on."""
    return row is not None and row["state"] == RUNNING and row["run"] == run


def days_of(row: ReplayRow, in_lake: Sequence[str], *, newest: Sequence[str]) -> list[str]:
    """Return the days of a job: those that the lake has, and the newest, which it may have soon."""
    return sorted(day for day in {*in_lake, *newest} if row["first"][:10] <= day <= row["last"][:10])


def newest_days(requested_at: str, settles_seconds: int) -> list[str]:
    """Return the days of which the lake may not have everything yet that the bus took before a job began."""
    ends_ms = times.to_ms(requested_at)
    return sorted({times.date_of(ms) for ms in (ends_ms - settles_seconds * 1000, ends_ms)})


def is_between(row: ReplayRow, key: str) -> bool:
    """Return True if an object is of an hour of the job; the hour of either end counts as a whole."""
    return row["first"][:13] <= hour_in(key) <= row["last"][:13]


def name_of_object(key: str) -> str:
    """Return the name of an object within its hour: `091512-<24 hex>`."""
    return key.rpartition("/")[2].partition(".")[0]


def job_key(job_id: str) -> Item:
    """Return the key of a job's row."""
    return KEYS.of(partition_of(job_id), JOB)


def day_key(job_id: str, day: str) -> Item:
    """Return the key of the row of a day."""
    return KEYS.of(partition_of(job_id), f"{DAY}{day}")


def done_prefix(day: str) -> str:
    """Return the sort-key prefix of all marks of a day."""
    return f"{DONE}{day}T"


def done_key(job_id: str, key: str) -> Item:
    """Return the key of the row in which an object is marked."""
    hour, name = hour_in(key), name_of_object(key)
    return KEYS.of(partition_of(job_id), f"{DONE}{hour}:{name[2]}")


def done_in(rows: Sequence[Item]) -> dict[str, ObjectSent]:
    """Return the marks in some rows, by the name of the object."""
    marks = [(name, value) for row in rows for name, value in row.items() if isinstance(value, dict)]
    return {name: members_of(ObjectSent, mark) for name, mark in marks}


def progress_of(rows: Sequence[Item]) -> Progress:
    """Return the progress of a job, from all its rows."""
    days = [row for row in rows if row["sk"].startswith(DAY)]
    marks = [row for row in rows if row["sk"].startswith(DONE)]
    done = [*done_in(marks).values()]
    return Progress(
        days=len(days),
        objects=sum(row["objects"] for row in days),
        done=len(done),
        sent=sum(one["sent"] for one in done),
        faults=sum(one["faults"] for one in done),
        until_ms=max((row["untilMs"] for row in marks), default=0),
    )


def to_response(row: ReplayRow, progress: Progress) -> ReplayResponse:
    """Return the response body for a job."""
    took_s = (progress.until_ms - times.to_ms(row["requestedAt"])) / 1000
    said: ReplayResponse = {
        "id": row["id"],
        "view": row["view"],
        "to": row["last"],
        "rate": row["rate"],
        "state": DONE_STATE if is_whole(row, progress) else row["state"],
        "days": row["days"],
        "daysPlanned": progress.days,
        "objects": progress.objects,
        "objectsDone": progress.done,
        "events": progress.sent,
        "eventsPerSecond": round(progress.sent / max(took_s, 1), 1),
        "faults": progress.faults,
        "requestedBy": row["requestedBy"],
        "requestedAt": row["requestedAt"],
    }
    return {**said, "from": row["first"]} if row["first"] else said


def is_whole(row: ReplayRow, progress: Progress) -> bool:
    """Return True if all messages of a job are on their way to the view."""
    return progress.days >= row["days"] and progress.done >= progress.objects


def admitted(rates: Mapping[str, Admitted], row: ReplayRow, *, now_ms: int) -> dict[str, Admitted]:
    """Return the rates of running jobs, by job, with another one.

    Raises:
        Conflict: together they would send more than `MOST_TOGETHER`.

    """
    others = sum(one["rate"] for job, one in rates.items() if job != row["id"])
    if others + row["rate"] > MOST_TOGETHER:
        raise Conflict(
            f"Running replays send {others} events a second; together they may send {MOST_TOGETHER}. "
            "Wait for one, pause it, or ask for less."
        )
    return {**rates, row["id"]: {"rate": row["rate"], "atMs": now_ms}}
