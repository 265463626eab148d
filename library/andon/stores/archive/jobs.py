"""Storage of rehydrations, and the work on their days; to repeat a day changes nothing."""

import json
import os
from functools import partial
from typing import Final

from andon.events import topic_table
from andon.runtime import strict_json
from andon.stores.archive.pages import events_between
from andon.stores.archive.rehydration import (
    Done,
    Job,
    RehydrationWork,
    done_folder,
    done_key,
    job_key,
    messages_of,
    period_of,
)
from andon.stores.archive.store import BUCKET, SUBJECTS
from andon.wire.bucket import Bucket
from andon.wire.in_threads import at_once
from andon.wire.queue import beside, send_all

QUEUE: Final = "ARCHIVE_QUEUE_URL"
RESTORERS: Final = "RESTORERS"  # the topics of each queue, by its name, see `topic_table`

_archive = Bucket(BUCKET)


def begin(job: Job) -> None:
    """Keep a job, then ask for each of its days."""
    _archive.replace(job_key(job["id"]), job)
    send_all(os.environ[QUEUE], (strict_json.dumps(RehydrationWork(job=job["id"], day=day)) for day in job["days"]))


def find(job_id: str) -> Job | None:
    """Return a job, None if there is none."""
    job: Job | None = _archive.get(job_key(job_id))
    return job


def done_of(job: Job) -> list[Done]:
    """Return the finished days of a job."""
    return at_once(partial(_archive.require, key) for key in _archive.keys(done_folder(job["id"])))


def work(body: str) -> Done:
    """Send a day's events to the packages that rehydrate their rows; record the numbers."""
    message: RehydrationWork = json.loads(body)
    job: Job = _archive.require(job_key(message["job"]))
    lines = [*events_between(SUBJECTS, job["subject"], message["day"], period_of(job))]
    topics, own_url = topic_table.from_json(os.environ[RESTORERS]), os.environ[QUEUE]
    sent = {name: send_all(beside(own_url, name), messages_of(lines, topics[name], job)) for name in topics}
    done: Done = {"sent": sent}
    _archive.replace(done_key(job["id"], message["day"]), done)
    return done
