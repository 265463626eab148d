"""A job that brings back the expired rows of a subject, day by day; to repeat a day changes nothing.

| key | object |
|---|---|
| `rehydrations/<id>/job.json` | `Job` |
| `rehydrations/<id>/done/<day>.json` | `Done`: what was sent of that day |
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, Literal, TypedDict

from andon.dynamodb.ttl import ttl_at
from andon.events.bus_entry import Replay
from andon.events.topic import from_json
from andon.recorded.resend import id_of, messages_of
from andon.runtime import clock, strict_json, times
from andon.runtime.errors import Invalid, NotFound
from andon.runtime.json_types import JsonMapping
from andon.stores.archive.pages import Period, events_between
from andon.stores.archive.store import BUCKET, REHYDRATIONS, SUBJECTS
from andon.wire.bucket import Bucket
from andon.wire.in_threads import at_once
from andon.wire.queue import beside, send_all

MOST_DAYS: Final = 366
REHYDRATED_DAYS: Final = 33
"""Rows that a rehydration brought back stay for so many days."""

Job = TypedDict(
    "Job",
    {
        "id": str,
        "subject": str,
        "from": str,
        "to": str,
        "until": int,
        "requestedBy": str,
        "requestedAt": str,
        "days": list[str],
    },
)
"""`days`: the archived ones. `until`: the second at which rehydrated rows expire (epoch seconds)."""


_MEMBERS: Final[JsonMapping] = {
    "id": str,
    SUBJECTS.field: str,
    "from": str,
    "to": str,
    "until": str,
    "requestedBy": str,
    "requestedAt": str,
    "state": Literal["working", "done"],
    "days": int,
    "daysDone": int,
    "messages": int,
}

RehydrationResponse: Final[Any] = TypedDict("RehydrationResponse", dict(_MEMBERS))  # type: ignore[misc]
RehydrationResponse.__doc__ = """A rehydration. `until`: when what comes back expires.

daysDone: the archived days of which all messages are on their way to the tables; `messages` counts them. A message
brings back a row, or finds that it is there.
"""


class RehydrationWork(TypedDict):
    """A message of the archive's own queue: a day of a job."""

    job: str
    day: str


class Done(TypedDict):
    """Number of messages sent for a day, by queue."""

    sent: dict[str, int]


def plan(subject: str, period: Period, *, days: Sequence[str], actor: str, now_ms: int) -> Job:
    """Return a job, the same one if the same is asked for at the same time.

    Raises:
        Invalid: it has more days than one job may have.

    """
    if len(days) > MOST_DAYS:
        raise Invalid.field("body.to", f"is more than {MOST_DAYS} archived days behind `from`")
    return {
        "id": id_of(subject, period.first, period.last, actor, now_ms),
        "subject": subject,
        "from": period.first,
        "to": period.last,
        "until": ttl_at(now_ms, REHYDRATED_DAYS),
        "requestedBy": actor,
        "requestedAt": times.to_utc(now_ms),
        "days": list(days),
    }


def require_job(job: Job | None, subject: str) -> Job:
    """Return a job of a subject.

    Raises:
        NotFound: there is none, or it is of another one.

    """
    if job is None or job["subject"] != subject:
        raise NotFound("There is no such rehydration.")
    return job


def to_response(job: Job, done: Sequence[Done]) -> JsonMapping:
    """Return the response body for a job; `messages` counts those sent to the packages that write rows."""
    said = {
        SUBJECTS.field if name == "subject" else name: value
        for name, value in job.items()
        if name not in {"days", "until"}
    }
    progress = {
        "until": times.to_utc(job["until"] * 1000),
        "state": "done" if len(done) == len(job["days"]) else "working",
        "days": len(job["days"]),
        "daysDone": len(done),
        "messages": sum(sum(one["sent"].values()) for one in done),
    }
    return {**said, **progress}


# Storage of rehydrations, and the work on their days.

QUEUE: Final = "ARCHIVE_QUEUE_URL"
RESTORERS: Final = "RESTORERS"  # the topics of each queue, by its name, see `andon.events.topic`

_archive = Bucket(BUCKET)


def begin(job: Job) -> None:
    """Keep a job, then ask for each of its days. One that was kept alone takes nothing from others."""
    _archive.replace(_job_key(job["id"]), job)
    send_all(os.environ[QUEUE], (strict_json.dumps(RehydrationWork(job=job["id"], day=day)) for day in job["days"]))


def find(job_id: str) -> Job | None:
    """Return a job, None if there is none."""
    job: Job | None = _archive.get(_job_key(job_id))
    return job


def done_of(job: Job) -> list[Done]:
    """Return the finished days of a job."""
    return at_once(partial(_archive.require, key) for key in _archive.keys(_done_folder(job["id"])))


def work(body: str) -> Counter[str]:
    """Send a day's events to the packages that rehydrate their rows; record the numbers, and return the counts."""
    message: RehydrationWork = json.loads(body)
    job: Job = _archive.require(_job_key(message["job"]))
    period, replay = Period(first=job["from"], last=job["to"]), Replay(job["id"], job["until"])
    lines = [*events_between(SUBJECTS, job["subject"], message["day"], period)]
    sent, faults = dict[str, int](), 0
    for name, topics in from_json(os.environ[RESTORERS]).items():
        found = messages_of(lines, topics, replay, now_ms=clock.now_ms())
        sent[name] = send_all(beside(os.environ[QUEUE], name), found.bodies)
        faults += found.faults
    _archive.replace(f"{_done_folder(job['id'])}{message['day']}.json", Done(sent=sent))
    return Counter(days=1, sent=sum(sent.values()), faults=faults)


def _job_key(job_id: str) -> str:
    return f"{REHYDRATIONS}/{job_id}/job.json"


def _done_folder(job_id: str) -> str:
    return f"{REHYDRATIONS}/{job_id}/done/"
