"""Entries -> bus, by PutEvents: as few requests as its limits allow, several at once, and those that failed again."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from andon.events.bus_entry import MAX_REQUEST_BYTES, MAX_REQUEST_ENTRIES, BusEntry, size_of
from andon.runtime.batches import batches
from andon.runtime.errors import CallFailed
from andon.wire import aws
from andon.wire.in_parallel import in_parallel, pause
from andon.wire.retries import jitter

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
INVALID_REQUEST = "ValidationException"


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
    puts = in_parallel([partial(_put, entries, numbers) for numbers in requests])
    failed = {number: code for codes in puts for number, code in codes.items()}
    alone = {number for number, *others in requests if not others}
    refused = {number: code for number, code in failed.items() if _is_for_good(code, alone=number in alone)}
    return PutResult(refused, {number: code for number, code in failed.items() if number not in refused})


def _requests(failed: Mapping[int, str], sizes: Mapping[int, int]) -> list[list[int]]:
    """Return the numbers of the entries of each request; what was in an invalid one goes alone, to find the reason."""
    alone = [[number] for number, code in failed.items() if code == INVALID_REQUEST]
    together = {number: sizes[number] for number, code in failed.items() if code != INVALID_REQUEST}
    return [*alone, *chunks(together)]


def _is_for_good(code: str, *, alone: bool) -> bool:
    return code in PERMANENT or (code == INVALID_REQUEST and alone)


def chunks(sizes: Mapping[int, int]) -> Iterator[list[int]]:
    """Split entries into requests of at most 10 entries and less than 1 MB; sizes: number of an entry -> its bytes."""
    return batches(sizes.items(), most=MAX_REQUEST_ENTRIES, most_bytes=MAX_REQUEST_BYTES)


def _put(entries: Mapping[int, BusEntry], numbers: Sequence[int]) -> dict[int, str]:
    """Put some entries in one request; return the codes of those that failed: of all if the request failed."""
    try:
        response = aws.call("events", "put_events", Entries=[entries[number] for number in numbers])
    except CallFailed as error:
        return dict.fromkeys(numbers, error.code)
    results = zip(numbers, response["Entries"], strict=True)
    return {number: result["ErrorCode"] for number, result in results if result.get("ErrorCode")}
