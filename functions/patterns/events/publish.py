"""The only place that talks to EventBridge: domain events -> bus."""

import os
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from patterns.events import fault
from patterns.events.bus_entry import MAX_REQUEST_BYTES, MAX_REQUEST_ENTRIES, BusEntry, size_of, to_entry
from patterns.events.domain_event import DomainEvent
from patterns.runtime import aws, clock
from patterns.runtime.batches import batches
from patterns.runtime.errors import CallFailed
from patterns.runtime.in_parallel import in_parallel, pause

ATTEMPTS = 3
PAUSE_SECONDS = 0.1

# Codes that a retry gets again.
# https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
PERMANENT = frozenset(
    {"InvalidArgument", "MalformedDetail", "NotAuthorizedForSourceException", "NotAuthorizedForDetailTypeException"}
)


class NotPublished(Exception):
    """Some entries still failed after all attempts. The batch must come again; deterministic ids make that harmless."""


class Refused(Exception):
    """EventBridge will never accept this event, by its content or by its size."""


class Published(NamedTuple):
    """How many events of one call were published, and how many became faults."""

    published: int
    faults: int


def publish(events: Sequence[DomainEvent], *, source: str) -> Published:
    """Publish `events`; those that can never be published become faults.

    Raises:
        NotPublished: entries still failed after `ATTEMPTS` attempts.

    """
    put = _put_all(_entries(events, source))
    put.require_none_failed()
    if any(events[number].type == fault.TYPE for number in put.refused):
        raise NotPublished("a fault was refused")  # a fault of a fault would never end
    faults = [_fault_of_refused(events[number], code, source) for number, code in put.refused.items()]
    faults_put = _put_all(_entries(faults, source))
    faults_put.require_none_failed()
    if faults_put.refused:
        raise NotPublished("a fault was refused")
    return Published(len(events) - len(faults), len(faults))


def try_publish(events: Sequence[DomainEvent], *, source: str) -> frozenset[int]:
    """Publish `events` for a client that waits; return the numbers of those that were not published."""
    put = _put_all(_entries(events, source))
    return frozenset(put.refused) | frozenset(put.failed)


class _PutResult(NamedTuple):
    """Error codes by the number of the entry: of those refused for good, and of those that may be tried again."""

    refused: dict[int, str]
    failed: dict[int, str]

    def require_none_failed(self) -> None:
        if self.failed:
            raise NotPublished(f"{len(self.failed)} entries failed: {', '.join(sorted(set(self.failed.values())))}")


def _entries(events: Sequence[DomainEvent], source: str) -> dict[int, BusEntry]:
    bus = os.environ["BUS_NAME"]
    return {number: to_entry(event, source=source, bus=bus) for number, event in enumerate(events)}


def _put_all(entries: dict[int, BusEntry]) -> _PutResult:
    """Put all entries, several requests at once, for the bus keeps no order; retry those that failed."""
    sizes = {number: size_of(entry) for number, entry in entries.items()}
    refused = {number: "EntryTooLarge" for number, size in sizes.items() if size > MAX_REQUEST_BYTES}
    failed = {number: "" for number in entries if number not in refused}
    for attempt in range(ATTEMPTS):
        if attempt:
            pause(PAUSE_SECONDS * 2 ** (attempt - 1) * (0.5 + random.random()))  # noqa: S311  jitter is no secret
        waiting = chunks({number: sizes[number] for number in failed})
        puts = in_parallel([partial(_put, {number: entries[number] for number in chunk}) for chunk in waiting])
        failed = {number: code for codes in puts for number, code in codes.items()}
        refused |= {number: code for number, code in failed.items() if code in PERMANENT}
        failed = {number: code for number, code in failed.items() if code not in PERMANENT}
        if not failed:
            break
    return _PutResult(refused, failed)


def chunks(sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """Split entries into requests of at most 10 entries and 256 KB; sizes: number of an entry -> its bytes."""
    return batches(sizes.items(), most=MAX_REQUEST_ENTRIES, most_bytes=MAX_REQUEST_BYTES)


def _put(chunk: dict[int, BusEntry]) -> dict[int, str]:
    """Make one request; return the codes of the entries that failed, by number: all of them if the request failed."""
    try:
        response = aws.call("events", "put_events", Entries=list(chunk.values()))
    except CallFailed as error:
        return dict.fromkeys(chunk, error.code)
    results = zip(chunk, response["Entries"], strict=True)
    return {number: result["ErrorCode"] for number, result in results if result.get("ErrorCode")}


def _fault_of_refused(event: DomainEvent, code: str, source: str) -> DomainEvent:
    original = to_entry(event, source=source, bus="")["Detail"]
    return fault.fault_of(Refused(code), original, consumer=source, now_ms=clock.now_ms())
