"""Domain events -> bus: grouped where the project groups; a fault in place of an event that the bus never takes."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from andon.events import fault
from andon.events.bus_entry import MAX_REQUEST_BYTES, MAX_REQUEST_ENTRIES, BusEntry, size_of, to_entry
from andon.events.domain_event import DomainEvent
from andon.events.group import cut, to_detail
from andon.runtime import clock
from andon.runtime.batches import batches
from andon.runtime.errors import CallFailed
from andon.wire import aws
from andon.wire.in_parallel import in_parallel, pause
from andon.wire.retries import jitter

# Entries -> bus, by PutEvents: as few requests as its limits allow, several at once, and those that failed again.

ATTEMPTS = 3
PAUSE_SECONDS = 0.1

# Codes of an entry that a retry gets again. AccessDeniedException is not among them: it is no matter of the event, and
# goes away when a new permission has spread or is repaired.
# https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEventsResultEntry.html
PERMANENT = frozenset(
    {
        "InvalidAccountIdException",
        "InvalidArgument",
        "MalformedDetail",
        "NotAuthorizedForDetailTypeException",
        "NotAuthorizedForSourceException",
        "RedactionFailure",
    }
)

# The code of a request that is refused as a whole, whichever of its entries is the reason.
# https://docs.aws.amazon.com/eventbridge/latest/APIReference/CommonErrors.html
_INVALID_REQUEST = "ValidationException"


class PutResult(NamedTuple):
    """Error codes by the number of the entry: of those refused for good, and of those that may be tried again."""

    refused: dict[int, str]
    failed: dict[int, str]


def put_all(entries: dict[int, BusEntry]) -> PutResult:
    """Put all entries, several requests at once, for the bus keeps no order; retry those that failed."""
    if not entries:
        return PutResult({}, {})
    sizes = {number: size_of(entry) for number, entry in entries.items()}
    refused = {number: "EntryTooLarge" for number, size in sizes.items() if size > MAX_REQUEST_BYTES}
    failed = {number: "" for number in entries if number not in refused}
    for attempt in range(ATTEMPTS):
        if attempt:
            pause(PAUSE_SECONDS * 2 ** (attempt - 1) * (0.5 + jitter()))
        put = _put_once(entries, _requests(failed, sizes))
        refused |= put.refused
        failed = put.failed
        if not failed:
            break
    return PutResult(refused, failed)


def _put_once(entries: dict[int, BusEntry], requests: list[list[int]]) -> PutResult:
    puts = in_parallel([partial(_put_some, entries, numbers) for numbers in requests])
    failed = {number: code for codes in puts for number, code in codes.items()}
    alone = {number for number, *others in requests if not others}
    refused = {number: code for number, code in failed.items() if _is_for_good(code, alone=number in alone)}
    return PutResult(refused, {number: code for number, code in failed.items() if number not in refused})


def _requests(failed: Mapping[int, str], sizes: Mapping[int, int]) -> list[list[int]]:
    """Return the numbers of the entries of each request; entries of an invalid one go alone, to find the reason."""
    alone = [[number] for number, code in failed.items() if code == _INVALID_REQUEST]
    together = {number: sizes[number] for number, code in failed.items() if code != _INVALID_REQUEST}
    return [*alone, *chunks(together)]


def _is_for_good(code: str, *, alone: bool) -> bool:
    return code in PERMANENT or (code == _INVALID_REQUEST and alone)


def chunks(sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """Split entries into requests of at most 10 entries and less than 1 MB; sizes: number of an entry -> its bytes."""
    return batches(sizes.items(), most=MAX_REQUEST_ENTRIES, most_bytes=MAX_REQUEST_BYTES)


def _put_some(entries: Mapping[int, BusEntry], numbers: Sequence[int]) -> dict[int, str]:
    """Put some entries in one request; return the codes of those that failed: of all if the request failed."""
    try:
        response = aws.call("events", "put_events", Entries=[entries[number] for number in numbers])
    except CallFailed as error:
        return dict.fromkeys(numbers, error.code)
    results = zip(numbers, response["Entries"], strict=True)
    return {number: result["ErrorCode"] for number, result in results if result.get("ErrorCode")}


GROUPED: Final = "GROUPED"
"""The environment variable of functions whose facts share entries, see `Project.grouped`; else each goes alone."""


class NotPublished(Exception):
    """Some entries still failed after all attempts. The batch must come again; deterministic ids make that harmless.

    left: the numbers of the events that were not published, if these are known; the others were.
    """

    def __init__(self, detail: str, left: Iterable[int] = ()) -> None:
        super().__init__(detail)
        self.left = frozenset(left)


class Refused(Exception):
    """EventBridge will never accept this event, by its content or by its size."""


class Published(NamedTuple):
    """The numbers of events of one call that were published, and that became faults."""

    published: int
    faults: int


def publish(events: Sequence[DomainEvent], *, source: str) -> Published:
    """Publish `events`; those that can never be published become faults.

    Raises:
        NotPublished: entries still failed after `ATTEMPTS` attempts.

    """
    put = _put(events, source)
    _require_none_failed(put, left={*put.failed, *put.refused})
    if not put.refused:
        return Published(len(events), 0)
    if any(events[number].type == fault.TYPE for number in put.refused):
        raise NotPublished("a fault was refused")  # a fault of a fault would never end
    faults = [_fault_of_refused(events[number], code, source) for number, code in put.refused.items()]
    faults_put = _put(faults, source)
    _require_none_failed(faults_put, left=put.refused)
    if faults_put.refused:
        raise NotPublished("a fault was refused")
    return Published(len(events) - len(faults), len(faults))


def try_publish(events: Sequence[DomainEvent], *, source: str) -> frozenset[int]:
    """Publish `events` for a client that waits; return the numbers of those that were not published."""
    put = _put(events, source)
    return frozenset(put.refused) | frozenset(put.failed)


def _require_none_failed(put: PutResult, *, left: Iterable[int]) -> None:
    if put.failed:
        codes = ", ".join(sorted(set(put.failed.values())))
        raise NotPublished(f"{len(put.failed)} events failed: {codes}", left)


def _put(events: Sequence[DomainEvent], source: str) -> PutResult:
    """Put events; return the codes by their numbers."""
    bus = os.environ["BUS_NAME"]
    alone = [to_entry(event, source=source, bus=bus) for event in events]
    is_grouped = len(alone) > 1 and GROUPED in os.environ
    return _put_grouped(alone, source) if is_grouped else put_all(dict(enumerate(alone)))


def _put_grouped(alone: Sequence[BusEntry], source: str) -> PutResult:
    """Put entries as few; a group that is refused for good goes again, each fact alone."""
    types = [entry["DetailType"] for entry in alone]
    cut_up = cut(types, [len(entry["Detail"].encode()) for entry in alone], source=source)
    groups = {numbers[0]: numbers for numbers in cut_up}
    put = put_all({first: _entry([alone[number] for number in numbers]) for first, numbers in groups.items()})
    suspected = [number for first in put.refused if len(groups[first]) > 1 for number in groups[first]]
    again = put_all({number: alone[number] for number in suspected})
    refused = {number: code for number, code in put.refused.items() if number not in suspected}
    failed = {number: code for first, code in put.failed.items() for number in groups[first]}
    return PutResult({**refused, **again.refused}, {**failed, **again.failed})


def _entry(alone: Sequence[BusEntry]) -> BusEntry:
    """Return the one entry in place of several."""
    return {**alone[0], "Detail": to_detail([entry["Detail"] for entry in alone])}


def _fault_of_refused(event: DomainEvent, code: str, source: str) -> DomainEvent:
    original = to_entry(event, source=source, bus="")["Detail"]
    return fault.fault_of(Refused(code), original, consumer=source, now_ms=clock.now_ms())
