"""A replay: a job that sends the lake's events to the queue of one view again, object by object, at a rate.

How it goes on after a crash, from the POST that asks for it (`command.py`) to a row of the view:

1. `begin` puts one message that has the whole job on the replays' own queue, then keeps the job. Killed before: there
   is no replay. Killed between the two: the message keeps the job (`_kept`), and the replay runs.
2. `work` handles a message of that queue (`listener.py` has nothing but the call). For a job it asks for each of its
   days (`_plan_job`), for a day for each object of the lake that is not done (`_plan_day`). Of an object it sends the
   events that are due soon to the view's queue, and asks for the rest later (`_replay_object`); at its end it marks
   the object as done (`_mark`). What a queue did not take whole is raised (`andon.wire.queue`), so that no mark is
   written too early.
3. A message whose handling failed (`resend.work_each` says so to Lambda), or whose listener was killed, is not deleted:
   the queue delivers it again, and all of its step is done again. That changes nothing that matters, see below.
4. The view's listener takes a message as it takes any other: whatever it writes, to a table or to objects, goes through
   `ViewUpdate.write` (`andon.views.view_update`), which writes only what is newer than its row, by time and event id.
   (To a rebuild no row has expired.) A message that it fails at comes again, and is a dead letter of the view at last:
   to send that back is for `andon redrive`, not for `resume`.
5. A message that fails as often as its queue delivers it is a dead letter, which rings. `POST …/resume` then begins a
   new run, which asks for all that is not done; messages of the run before are dropped (`_is_current`).

| killed behind | comes again | and does twice |
|---|---|---|
| the question for some days, or objects | the job's message, or the day's | asks again: what is marked is dropped |
| the count of a day's objects (`_note_day`) | the day's message | writes the same count |
| some events of an object | the object's message | sends them again: the view drops them |
| the question for the rest of an object | the object's message | two go on, and end with the same mark |
| the mark | the object's message | is dropped, or marks it again |

Events of an object are sent by time and id, so that a number says how many are sent (`_counted`: if they are others).

A POST that is killed when it was admitted keeps its rate for `_MOMENT_MS`, a minute. A resume that is killed before it
asked leaves a replay that says it runs and has no message: to resume it again is the remedy.

Hence no step needs to know how far the one before came, and a replay that is paused or cancelled stops by the same
check, within `LEAD_MS`. Whoever repeats a POST whose answer was lost begins a second replay. The rows are in the table
as `store.py` draws them; what bounds what:

| figure | | where |
|---|---|---|
| events a second of a job, of all together | 500 or what is asked, ≤ 1,000; 2,000 | `parameters.py`; `_MOST_TOGETHER` |
| events are sent so far ahead, and held back in the view's queue | 20 s | `LEAD_MS`; SQS holds back 15 min at most |
| events of an object in a step | 2,000 | `MOST_AT_ONCE` |
| a listener of replays lives at most | 120 s | `OF_STORES` of `andon.cdk.function` |
| the queue hides a message that was received | 720 s | `andon.cdk.queues`: six times the function's time |
| a message is delivered before it is a dead letter | 5 times | `RECEIVES` of `andon.cdk.queues` |
| a job and its marks are kept | 90 days | `store.JOBS_KEEP_DAYS` |
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict, cast, final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.schema import BeginsWith, KeyQuery
from andon.dynamodb.ttl import ttl_at
from andon.events import topic
from andon.events.bus_entry import Replay
from andon.events.identifiers import of_content
from andon.recorded import lake
from andon.recorded.resend import Topics, id_of, messages_of
from andon.runtime import clock, strict_json, times
from andon.runtime.errors import CallFailed, Conflict, Invalid, NotFound
from andon.runtime.json_types import members_of
from andon.stores.replays.store import BUCKET, JOBS_KEEP_DAYS, KEYS, QUEUE, SETTLES, TABLE, VIEWS
from andon.wire.bucket import Bucket
from andon.wire.queue import DelayedMessage, beside, name_of, send_all, send_later

State = Literal["running", "paused", "cancelled"]
RUNNING: Final = "running"
PAUSED: Final = "paused"
CANCELLED: Final = "cancelled"
DONE_STATE: Final = "done"

_MOST_TOGETHER: Final = 2000
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


class _Admitted(TypedDict):
    """A job that may run: events a second, and since when (epoch milliseconds)."""

    rate: int
    atMs: int


@final
class _JobWork(TypedDict):
    """A message of the own queue: keep a job, if nobody did, and ask for each of its days."""

    job: str
    run: int
    row: ReplayRow


@final
class _DayWork(TypedDict):
    """A message of the own queue: ask for each object of a day."""

    job: str
    run: int
    day: str


@final
class _ObjectWork(TypedDict):
    """A message of the own queue: send the events of an object, but the first `sent`, which are sent.

    atMs: the time of the first event in the job's pace (epoch milliseconds); without it the object has no time yet.
    counted: which events are counted, see `_counted`; counted otherwise, the object begins again.
    """

    job: str
    run: int
    object: str
    sent: int
    atMs: NotRequired[int]
    counted: NotRequired[str]


class _ObjectSent(TypedDict):
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
        "ttl": ttl_at(now_ms, JOBS_KEEP_DAYS),
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


def _moved(row: ReplayRow, state: State, *, now_ms: int) -> Item:
    """Return the attributes that change when a job is paused, resumed or cancelled; to resume is to begin a new run.

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


def _is_current(row: ReplayRow | None, run: int) -> bool:
    """Return True if messages of a run are still to be worked on."""
    return row is not None and row["state"] == RUNNING and row["run"] == run


def _days_of(row: ReplayRow, in_lake: Sequence[str], *, newest: Sequence[str]) -> list[str]:
    """Return the days of a job: those that the lake has, and the newest, which it may have soon."""
    return sorted(day for day in {*in_lake, *newest} if row["first"][:10] <= day <= row["last"][:10])


def _newest_days(requested_at: str, settles_seconds: int) -> list[str]:
    """Return the days of which the lake may not have everything yet that the bus took before a job began."""
    ends_ms = times.to_ms(requested_at)
    return sorted({times.date_of(ms) for ms in (ends_ms - settles_seconds * 1000, ends_ms)})


def _is_between(row: ReplayRow, key: str) -> bool:
    """Return True if an object is of an hour of the job; the hour of either end counts as a whole."""
    return row["first"][:13] <= lake.hour_in(key) <= row["last"][:13]


def _name_of_object(key: str) -> str:
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


def _admitted(rates: Mapping[str, _Admitted], row: ReplayRow, *, now_ms: int) -> dict[str, _Admitted]:
    """Return the rates of running jobs, by job, with another one.

    Raises:
        Conflict: together they would send more than `_MOST_TOGETHER`.

    """
    others = sum(one["rate"] for job, one in rates.items() if job != row["id"])
    if others + row["rate"] > _MOST_TOGETHER:
        raise Conflict(
            f"Running replays send {others} events a second; together they may send {_MOST_TOGETHER}. "
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


def _time_of(number: int, *, at_ms: int, rate: int) -> int:
    """Return the time at which an event is due (epoch milliseconds), by its number within its object (from 0)."""
    return at_ms + number * 1000 // rate


def sent_by(*, at_ms: int, sent: int, count: int, rate: int, now_ms: int) -> int:
    """Return the number of `count` events that are sent after this step; `sent` are so already."""
    within = (now_ms + LEAD_MS - at_ms) * rate // 1000 + 1
    return max(sent, min(count, within, sent + MOST_AT_ONCE))


def _is_missed(*, at_ms: int, sent: int, rate: int, now_ms: int) -> bool:
    """Return True if the next event is so overdue that its object needs a new time, or many would come at once."""
    return _time_of(sent, at_ms=at_ms, rate=rate) < now_ms - LEAD_MS


def delay_seconds(due_ms: int, *, now_ms: int) -> int:
    """Return the delay in a queue of a message that is due at `due_ms`, in seconds."""
    return min(LONGEST_DELAY_SECONDS, max(0, (due_ms - now_ms) // 1000))


def _again_after(due_ms: int, *, now_ms: int) -> int:
    """Return the seconds until the work on an object goes on; due_ms: of its next event."""
    return delay_seconds(due_ms - LEAD_MS // 2, now_ms=now_ms)


# Settings of the deployment, see `store.py`.


def views() -> Mapping[str, Topics]:
    """Return the views and their topics."""
    return topic.from_json(os.environ[VIEWS])


def queue_of(view: str) -> str:
    """Return the address of a view's own queue."""
    return beside(os.environ[QUEUE], name_of(view))


def _settles_seconds() -> int:
    """Return the seconds after which the lake has an event that the bus takes now."""
    return int(os.environ[SETTLES])


_DROPPED: Final = "dropped"


_ATTEMPTS: Final = 20

# So long after it was admitted a job is kept.
_MOMENT_MS: Final = 60_000
_PAGE: Final = 1000

_TOGETHER: Final = KEYS.of("Replay#together", "Rates")
_DAY: Final = "Day#"
_DONE: Final = "Done#"

_SAME: Final = "attribute_not_exists(#admitted) OR #admitted = :admitted"
_UNCHANGED: Final = "#run = :run AND #state = :state"
_FREE: Final = f"{_UNCHANGED} AND #free = :free"

_lake = Bucket(BUCKET)


def _days_in_lake() -> list[str]:
    """List the days that the lake has, in order."""
    return [lake.day_in(folder) for folder in _lake.folders(f"{lake.EVENTS}/")]


def _keep(row: ReplayRow) -> None:
    """Keep a job, unless it is."""
    with suppress(ConditionFailed):
        TABLE.put({**_job_key(row["id"]), **row}, condition=TABLE.absent)


def _kept(row: ReplayRow) -> ReplayRow | None:
    """Return a job as it is now; it is saved here if the request for it died before."""
    if found := find(row["id"]):
        return found
    with suppress(ConditionFailed):  # an update, for a listener's role may not put
        TABLE.update(_job_key(row["id"]), assign={**row}, condition=TABLE.absent)
    return find(row["id"])


def find(job_id: str) -> ReplayRow | None:
    """Return a job as it is now, None if there is none."""
    return _job_in(TABLE.get(_job_key(job_id), consistent=True))


def admit(row: ReplayRow, *, now_ms: int) -> None:
    """Note that a job runs, beside the running ones, once; ended ones are forgotten.

    Raises:
        Conflict: together they would send too much.
        CallFailed: others were admitted at each attempt.

    """
    for _ in range(_ATTEMPTS):
        found = TABLE.get(_TOGETHER, consistent=True) or {"rates": {}, "admitted": 0}
        running = {job: one for job, one in found["rates"].items() if _is_running(job, one["atMs"], now_ms)}
        if row["id"] in running:
            return
        assign = {"rates": _admitted(running, row, now_ms=now_ms), "admitted": found["admitted"] + 1}
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
        assign, condition = _moved(found, state, now_ms=now_ms), _if(_UNCHANGED, found)
        try:
            return require_replay(_job_in(TABLE.update_and_return(key, assign=assign, condition=condition)))
        except ConditionFailed as failed:
            found = require_replay(_job_in(failed.row))
    raise CallFailed("ReplayContended")


def _reserve(row: ReplayRow, events: int, *, now_ms: int) -> int | None:
    """Take the next free time for so many events; return when it begins, None if the job does not go on.

    Raises:
        CallFailed: others took one at each attempt.

    """
    found: ReplayRow | None = row
    for _ in range(_ATTEMPTS):
        if found is None or not _is_current(found, row["run"]):
            return None
        at_ms = max(found["freeMs"], now_ms)
        free_ms = _time_of(events, at_ms=at_ms, rate=row["rate"])
        try:
            TABLE.update(_job_key(row["id"]), assign={"freeMs": free_ms}, condition=_if(_FREE, found))
        except ConditionFailed as failed:
            found = _job_in(failed.row)
        else:
            return at_ms
    raise CallFailed("ReplayContended")


def _note_day(row: ReplayRow, day: str, objects: int) -> None:
    """Record the number of a day's objects, when all of them were asked for."""
    assign = {"objects": objects, "ttl": row["ttl"]}
    TABLE.update(KEYS.of(_partition_of(row["id"]), f"{_DAY}{day}"), assign=assign, condition=UNCONDITIONAL)


def _mark(row: ReplayRow, key: str, sent: _ObjectSent, *, until_ms: int) -> None:
    """Note that an object is done, and when the last of its messages is visible."""
    assign = {_name_of_object(key): sent, "untilMs": until_ms, "ttl": row["ttl"]}
    TABLE.update(_done_key(row["id"], key), assign=assign, condition=UNCONDITIONAL)


def _is_done(row: ReplayRow, key: str) -> bool:
    """Return True if an object is done."""
    marks = TABLE.get(_done_key(row["id"], key), consistent=True)
    return marks is not None and _name_of_object(key) in marks


def _done_of(row: ReplayRow, day: str) -> set[str]:
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
    return KEYS.of(_partition_of(job_id), f"{_DONE}{lake.hour_in(key)}:{_name_of_object(key)[2]}")


def _done_in(rows: Iterable[Item]) -> dict[str, _ObjectSent]:
    """Return the marks in some rows, by the name of the object."""
    marks = [(name, value) for row in rows for name, value in row.items() if isinstance(value, dict)]
    return {name: members_of(_ObjectSent, mark) for name, mark in marks}


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


# The work on the messages of the own queue, see above.


def begin(row: ReplayRow) -> ReplayRow:
    """Ask for the work on a job, then keep it; return it with the number of its days.

    In this order: a job that is kept, and that nobody works on, would take its rate from others for good.
    """
    planned: ReplayRow = {**row, "days": len(_days(row))}
    go_on(planned)
    _keep(planned)
    return planned


def go_on(row: ReplayRow) -> None:
    """Ask for the work on a job, in one message, and so for all of its objects that are not done."""
    asked: _JobWork = {"job": row["id"], "run": row["run"], "row": row}
    send_all(os.environ[QUEUE], [strict_json.dumps(asked)])


def _days(row: ReplayRow) -> list[str]:
    return _days_of(row, _days_in_lake(), newest=_newest_days(row["requestedAt"], _settles_seconds()))


def _plan_job(row: ReplayRow) -> Counter[str]:
    """Ask for each day; for the newest only when the lake has all events from before the job."""
    waits = dict.fromkeys(_newest_days(row["requestedAt"], _settles_seconds()), _settles_seconds())
    send_later(os.environ[QUEUE], (_day(row, day, waits.get(day, 0)) for day in _days(row)))
    return Counter(jobs=1)


def work(body: str) -> Counter[str]:
    """Handle one message; return the counts."""
    message: _JobWork | _DayWork | _ObjectWork = json.loads(body)
    row = _kept(message["row"]) if "row" in message else find(message["job"])
    if row is None or not _is_current(row, message["run"]):
        return Counter({_DROPPED: 1})
    if "row" in message:
        return _plan_job(row)
    if "day" in message:
        return _plan_day(row, message["day"])
    if "atMs" not in message and _is_done(row, message["object"]):
        return Counter({_DROPPED: 1})
    return _replay_object(row, message)


def _plan_day(row: ReplayRow, day: str) -> Counter[str]:
    """Ask for each object of a day that is not done; then note how many there are."""
    keys = [key for key in _lake.keys(lake.folder_of(day)) if _is_between(row, key)]
    done = _done_of(row, day)
    left = [key for key in keys if _name_of_object(key) not in done]
    send_later(os.environ[QUEUE], (DelayedMessage(strict_json.dumps(_object(row, key))) for key in left))
    _note_day(row, day, len(keys))
    return Counter(days=1)


def _replay_object(row: ReplayRow, asked: _ObjectWork) -> Counter[str]:
    """Send the events of an object that are due soon; mark it if these are all, else go on later."""
    key, now_ms = asked["object"], clock.now_ms()
    lines, topics = lake.lines_of(_lake.require_bytes(key)), views()[row["view"]]
    bodies, faults = messages_of(lines, topics, Replay(row["id"]), now_ms=now_ms)
    counted = _counted(topics, bodies)
    asked = asked if asked.get("counted", counted) == counted else _object(row, key)
    at_ms = _begins(row, asked, len(bodies), now_ms=now_ms)
    if at_ms is None:
        return Counter({_DROPPED: 1})
    sent = sent_by(at_ms=at_ms, sent=asked["sent"], count=len(bodies), rate=row["rate"], now_ms=now_ms)
    due = [_time_of(number, at_ms=at_ms, rate=row["rate"]) for number in range(len(bodies) + 1)]
    later = [DelayedMessage(bodies[n], delay_seconds(due[n], now_ms=now_ms)) for n in range(asked["sent"], sent)]
    send_later(queue_of(row["view"]), later)
    if sent < len(bodies):
        _go_on_later({**asked, "sent": sent, "atMs": at_ms, "counted": counted}, due[sent], now_ms=now_ms)
        return Counter(sent=len(later))
    _mark(row, key, _ObjectSent(sent=len(bodies), faults=faults), until_ms=max(now_ms, due[-1]))
    return Counter(sent=len(later), faults=faults, objects=1)


def _counted(topics: Topics, bodies: Sequence[str]) -> str:
    """Name the events of an object that are counted: a deployment may give its view others."""
    return of_content([topics, len(bodies)], digits=16)


def _go_on_later(rest: _ObjectWork, due_ms: int, *, now_ms: int) -> None:
    again = DelayedMessage(strict_json.dumps(rest), _again_after(due_ms, now_ms=now_ms))
    send_later(os.environ[QUEUE], [again])


def _begins(row: ReplayRow, asked: _ObjectWork, count: int, *, now_ms: int) -> int | None:
    """Return the time of an object's first event, a new one if it has none or missed it; None: the job was stopped."""
    at_ms, sent, rate = asked.get("atMs"), asked["sent"], row["rate"]
    if count == sent:
        return now_ms
    if at_ms is not None and not _is_missed(at_ms=at_ms, sent=sent, rate=rate, now_ms=now_ms):
        return at_ms
    next_ms = _reserve(row, count - sent, now_ms=now_ms)
    return None if next_ms is None else _time_of(-sent, at_ms=next_ms, rate=rate)


def _day(row: ReplayRow, day: str, delay_s: int) -> DelayedMessage:
    asked: _DayWork = {"job": row["id"], "run": row["run"], "day": day}
    return DelayedMessage(strict_json.dumps(asked), delay_s)


def _object(row: ReplayRow, key: str) -> _ObjectWork:
    return {"job": row["id"], "run": row["run"], "object": key, "sent": 0}
