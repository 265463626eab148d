"""A replay: a job that sends the lake's events to the queue of one view again, object by object. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict, final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.recorded.lake import hour_in
from andon.recorded.replaying import id_of
from andon.runtime import times
from andon.runtime.errors import Conflict, Invalid, NotFound
from andon.stores.replays.tables import KEEPS_DAYS

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

    days: int = 0
    objects: int = 0
    done: int = 0
    sent: int = 0
    faults: int = 0
    until_ms: int = 0


def plan(view: str, first: str | None, last: str | None, rate: int, *, actor: str, now_ms: int) -> ReplayRow:
    """Return a job without its days, the same one if the same is asked for at the same time.

    Raises:
        Invalid: the first time lies behind the last.

    """
    begins, ends = first or "", last or times.to_utc(now_ms)
    if begins > ends:
        raise Invalid.field("body.from", "lies behind `to`")
    return {
        "id": id_of(view, begins, ends, rate, actor, now_ms),
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


# At which time each event of a replay is due, so that a view gets `rate` of them a second.
#
# An object gets a time of its own: behind all objects that have one. Its events are sent a little ahead, and the queue
# holds each back until it is due. So nothing waits in a function, and a replay that is paused ends within seconds.

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
