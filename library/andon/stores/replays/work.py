"""Handling of the messages in a replay's own queue. To do anything twice changes nothing that matters.

A view drops what it has seen, a mark is the same again, and an object that is done is not sent again. After a crash
between any two calls the message comes again, and what was sent twice is dropped.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from andon.events import topic
from andon.events.bus_entry import Replay
from andon.recorded import lake
from andon.recorded.replaying import Topics, messages_of
from andon.runtime import clock, strict_json
from andon.stores.replays import jobs, replay
from andon.stores.replays.replay import (
    DayWork,
    ObjectSent,
    ObjectWork,
    ReplayRow,
    days_of,
    is_between,
    is_current,
    name_of_object,
    newest_days,
)
from andon.stores.replays.store import BUCKET
from andon.wire.bucket import Bucket
from andon.wire.queue import DelayedMessage, beside, name_of, send_later

# Settings of the deployment: the views, their queues, the own queue, and how far the lake may be behind.

QUEUE: Final = "REPLAYS_QUEUE_URL"
VIEWS: Final = "VIEWS"  # the topics of each, see `andon.events.topic`
SETTLES: Final = "LAKE_SETTLES_SECONDS"


def views() -> Mapping[str, Topics]:
    """Return the views and their topics."""
    return topic.from_json(os.environ[VIEWS])


def queue_of(view: str) -> str:
    """Return the address of a view's own queue."""
    return beside(os.environ[QUEUE], name_of(view))


def settles_seconds() -> int:
    """Return the seconds after which the lake has an event that the bus takes now."""
    return int(os.environ[SETTLES])


DROPPED: Final = "dropped"

_lake = Bucket(BUCKET)


def begin(row: ReplayRow) -> ReplayRow:
    """Keep a job, then ask for each of its days; return it with their number."""
    days = _days(row)
    kept: ReplayRow = {**row, "days": len(days)}
    jobs.keep(kept)
    _ask(kept, days)
    return kept


def go_on(row: ReplayRow) -> None:
    """Ask again for each day of a job, and so for all objects that are not done."""
    _ask(row, _days(row))


def _days(row: ReplayRow) -> list[str]:
    return days_of(row, jobs.days_in_lake(), newest=newest_days(row["requestedAt"], settles_seconds()))


def _ask(row: ReplayRow, days: Iterable[str]) -> None:
    """Ask for days; for the newest only when the lake has what the bus took before the job began."""
    waits = dict.fromkeys(newest_days(row["requestedAt"], settles_seconds()), settles_seconds())
    send_later(os.environ[QUEUE], (_day(row, day, waits.get(day, 0)) for day in days))


def work(body: str) -> Counter[str]:
    """Handle one message; return the counts."""
    message: DayWork | ObjectWork = json.loads(body)
    row = jobs.find(message["job"])
    if row is None or not is_current(row, message["run"]):
        return Counter({DROPPED: 1})
    if "day" in message:
        return _plan_day(row, message["day"])
    if "atMs" not in message and jobs.is_done(row, message["object"]):
        return Counter({DROPPED: 1})
    return _replay_object(row, message)


def _plan_day(row: ReplayRow, day: str) -> Counter[str]:
    """Ask for each object of a day that is not done; then note how many there are."""
    keys = [key for key in _lake.keys(lake.folder_of(day)) if is_between(row, key)]
    done = jobs.done_of(row, day)
    left = [key for key in keys if name_of_object(key) not in done]
    send_later(os.environ[QUEUE], (DelayedMessage(strict_json.dumps(_object(row, key))) for key in left))
    jobs.note_day(row, day, len(keys))
    return Counter(days=1)


def _replay_object(row: ReplayRow, asked: ObjectWork) -> Counter[str]:
    """Send the events of an object that are due soon; mark it if these are all, else go on later."""
    key, now_ms = asked["object"], clock.now_ms()
    lines = lake.lines_of(_lake.require_bytes(key))
    bodies, faults = messages_of(lines, views()[row["view"]], Replay(row["id"]), now_ms=now_ms)
    at_ms = _begins(row, asked, len(bodies), now_ms=now_ms)
    if at_ms is None:
        return Counter({DROPPED: 1})
    sent = replay.sent_by(at_ms=at_ms, sent=asked["sent"], count=len(bodies), rate=row["rate"], now_ms=now_ms)
    due = [replay.time_of(number, at_ms=at_ms, rate=row["rate"]) for number in range(len(bodies) + 1)]
    later = [DelayedMessage(bodies[n], replay.delay_seconds(due[n], now_ms=now_ms)) for n in range(asked["sent"], sent)]
    send_later(queue_of(row["view"]), later)
    if sent < len(bodies):
        _go_on_later({**asked, "sent": sent, "atMs": at_ms}, due[sent], now_ms=now_ms)
        return Counter(sent=len(later))
    jobs.mark(row, key, ObjectSent(sent=len(bodies), faults=faults), until_ms=max(now_ms, due[-1]))
    return Counter(sent=len(later), faults=faults, objects=1)


def _go_on_later(rest: ObjectWork, due_ms: int, *, now_ms: int) -> None:
    again = DelayedMessage(strict_json.dumps(rest), replay.again_after(due_ms, now_ms=now_ms))
    send_later(os.environ[QUEUE], [again])


def _begins(row: ReplayRow, asked: ObjectWork, count: int, *, now_ms: int) -> int | None:
    """Return the time of an object's first event, a new one if it has none or missed it; None: the job was stopped."""
    at_ms, sent, rate = asked.get("atMs"), asked["sent"], row["rate"]
    if count == sent:
        return now_ms
    if at_ms is not None and not replay.is_missed(at_ms=at_ms, sent=sent, rate=rate, now_ms=now_ms):
        return at_ms
    next_ms = jobs.reserve(row, count - sent, now_ms=now_ms)
    return None if next_ms is None else replay.time_of(-sent, at_ms=next_ms, rate=rate)


def _day(row: ReplayRow, day: str, delay_s: int) -> DelayedMessage:
    asked: DayWork = {"job": row["id"], "run": row["run"], "day": day}
    return DelayedMessage(strict_json.dumps(asked), delay_s)


def _object(row: ReplayRow, key: str) -> ObjectWork:
    return {"job": row["id"], "run": row["run"], "object": key, "sent": 0}
