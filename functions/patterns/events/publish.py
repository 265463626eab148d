"""The only place that talks to EventBridge: domain events -> bus."""

import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patterns.events import fault
from patterns.events.bus_entry import MAX_REQUEST_BYTES, MAX_REQUEST_ENTRIES, Entry, size_of, to_entry
from patterns.events.domain_event import DomainEvent
from patterns.runtime import aws, clock
from patterns.runtime.errors import CallFailed

ATTEMPTS = 3
PAUSE_SECONDS = 0.1

# What EventBridge will say again, however often it is asked.
# https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
PERMANENT = frozenset(
    {"InvalidArgument", "MalformedDetail", "NotAuthorizedForSourceException", "NotAuthorizedForDetailTypeException"}
)


class NotPublished(Exception):
    """Some entries still failed after all attempts: the batch must come again, ids make that harmless."""


class Refused(Exception):
    """EventBridge, or its size limit, will never take this event."""


@dataclass(frozen=True, slots=True)
class Published:
    """What became of the events of one call."""

    published: int
    faults: int


def publish(events: Sequence[DomainEvent], *, source: str) -> Published:
    """Publish `events`; those that can never be published become faults.

    Raises:
        NotPublished: entries still failed after `ATTEMPTS` attempts.

    """
    put = _put_all(_entries(events, source))
    put.require_none_waiting()
    if any(events[number].type == fault.TYPE for number in put.refused):
        raise NotPublished("a fault was refused")  # a fault of a fault would never end
    faults = [_fault_of_refused(events[number], code, source) for number, code in put.refused.items()]
    faults_put = _put_all(_entries(faults, source))
    faults_put.require_none_waiting()
    if faults_put.refused:
        raise NotPublished("a fault was refused")
    return Published(len(events) - len(faults), len(faults))


def try_publish(events: Sequence[DomainEvent], *, source: str) -> frozenset[int]:
    """Publish `events` for somebody who waits; give the numbers of those that were not published."""
    put = _put_all(_entries(events, source))
    return frozenset(put.refused) | frozenset(put.waiting)


@dataclass(frozen=True, slots=True)
class _Put:
    """What is left of some entries, by number: the codes of those refused for good, and of those that still failed."""

    refused: dict[int, str]
    waiting: dict[int, str]

    def require_none_waiting(self) -> None:
        if self.waiting:
            raise NotPublished(f"{len(self.waiting)} entries failed: {', '.join(sorted(set(self.waiting.values())))}")


def _entries(events: Sequence[DomainEvent], source: str) -> dict[int, Entry]:
    bus = os.environ["BUS_NAME"]
    return {number: to_entry(event, source=source, bus=bus) for number, event in enumerate(events)}


def _put_all(entries: dict[int, Entry]) -> _Put:
    """Put all entries, again those that failed."""
    refused = {number: "EntryTooLarge" for number, entry in entries.items() if size_of(entry) > MAX_REQUEST_BYTES}
    failed = {number: "" for number in entries if number not in refused}
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1) * (0.5 + random.random()))  # noqa: S311  jitter is no secret
        waiting = {number: entries[number] for number in failed}
        failed = {number: code for chunk in chunks(waiting) for number, code in _put(chunk).items()}
        refused |= {number: code for number, code in failed.items() if code in PERMANENT}
        failed = {number: code for number, code in failed.items() if code not in PERMANENT}
        if not failed:
            break
    return _Put(refused, failed)


def chunks(entries: dict[int, Entry]) -> Iterator[dict[int, Entry]]:
    """Split entries into requests of at most 10 entries and 256 KB."""
    chunk: dict[int, Entry] = {}
    size = 0
    for number, entry in entries.items():
        more = size_of(entry)
        if chunk and (len(chunk) == MAX_REQUEST_ENTRIES or size + more > MAX_REQUEST_BYTES):
            yield chunk
            chunk, size = {}, 0
        chunk[number] = entry
        size += more
    if chunk:
        yield chunk


def _put(chunk: dict[int, Entry]) -> dict[int, str]:
    """Make one request; give the codes of the entries that failed, by number: all if it failed as a whole."""
    try:
        answer = aws.call("events", "put_events", Entries=list(chunk.values()))
    except CallFailed as error:
        return dict.fromkeys(chunk, error.code)
    results = zip(chunk, answer["Entries"], strict=True)
    return {number: result["ErrorCode"] for number, result in results if result.get("ErrorCode")}


def _fault_of_refused(event: DomainEvent, code: str, source: str) -> DomainEvent:
    original = to_entry(event, source=source, bus="")["Detail"]
    return fault.fault_of(Refused(code), original, consumer=source, now_ms=clock.now_ms())
