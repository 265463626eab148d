"""The only place that talks to EventBridge: domain events -> bus."""

import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patterns import aws, clock, fault
from patterns.bus_entry import MAX_REQUEST_BYTES, MAX_REQUEST_ENTRIES, Entry, size_of, to_entry
from patterns.domain_event import DomainEvent

ATTEMPTS = 3
FIRST_PAUSE_SECONDS = 0.1

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
    bus = os.environ["BUS_NAME"]
    entries = {number: to_entry(event, source=source, bus=bus) for number, event in enumerate(events)}
    refused = _put_all(entries)
    faults = [_fault_of_refused(events[number], code, source) for number, code in refused.items()]
    if _put_all({number: to_entry(event, source=source, bus=bus) for number, event in enumerate(faults)}):
        raise NotPublished("a fault was refused")  # a fault of a fault would never end
    return Published(len(events) - len(faults), len(faults))


def _put_all(entries: dict[int, Entry]) -> dict[int, str]:
    """Put all entries, again those that failed; give the codes of those that are refused for good, by number."""
    refused = {number: "EntryTooLarge" for number, entry in entries.items() if size_of(entry) > MAX_REQUEST_BYTES}
    waiting = {number: entry for number, entry in entries.items() if number not in refused}
    for attempt in range(ATTEMPTS):
        failed: dict[int, str] = {}
        for chunk in chunks(waiting):
            failed |= _put(chunk)
        refused |= {number: code for number, code in failed.items() if code in PERMANENT}
        waiting = {number: waiting[number] for number in failed if number not in refused}
        if not waiting:
            return refused
        time.sleep(FIRST_PAUSE_SECONDS * 2**attempt * (0.5 + random.random()))  # noqa: S311  jitter is no secret
    raise NotPublished(f"{len(waiting)} of {len(entries)} entries failed")


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
    """Make one request; give the error codes of the entries that failed, by number."""
    answer = aws.client("events").put_events(Entries=list(chunk.values()))
    results = zip(chunk, answer["Entries"], strict=True)
    return {number: result["ErrorCode"] for number, result in results if result.get("ErrorCode")}


def _fault_of_refused(event: DomainEvent, code: str, source: str) -> DomainEvent:
    original = to_entry(event, source=source, bus="")["Detail"]
    return fault.fault_of(Refused(code), original, consumer=source, now_ms=clock.now_ms())
