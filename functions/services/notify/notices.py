"""Notices for a person: the requests for their help, as the micro event store has them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from andon.dynamodb.schema import BeginsWith, Between, KeyQuery
from andon.events.domain_event import Entity
from andon.outbound.delivery import Notice, Waiting, Wake
from andon.rules.stored_event import BEHIND_ALL, PREFIX, StoredEvent, readable, sort_of
from andon.runtime.clock import HOUR_MS, MINUTE_MS
from andon.runtime.json_types import JsonMapping
from andon.wire.in_parallel import in_parallel
from services.notify import about
from services.notify.erased import is_erased
from services.notify.message import NOW
from services.notify.tables import KEYS, TABLE

KNOWN_MS: Final = HOUR_MS
"""What was asked for before that is told nobody any more: it is in a `delivery-failed`."""

QUIET_MS: Final = 2 * MINUTE_MS
"""Whoever was asked before within so long is told with the next digest."""

PAGE: Final = 1_000  # of a query


class HelpRequest(NamedTuple):
    """A request for help as it was stored: when it arrived, and its entity."""

    arrived_ms: int
    help: Entity


def waiting_of(wake: Wake, now_ms: int) -> Waiting:
    """Read the recent requests to a person, and those that a message must tell: none to an erased person."""
    if is_erased(wake.recipient):
        return Waiting((), ())
    known = known_of(wake.recipient, now_ms)
    if wake.kind == NOW and _is_digested(known, wake.at_ms):
        return Waiting(known, ())
    seen = seen_among(notice.about for notice in known)
    return Waiting(known, [notice for notice in known if about.partition_of(notice.about) not in seen])


def known_of(recipient: str, now_ms: int) -> list[Notice]:
    """Read the recent requests to a person, oldest first."""
    window = Between(sort_of(now_ms - KNOWN_MS, ""), BEHIND_ALL)  # a clock may be ahead
    rows = TABLE.query_all(KeyQuery(KEYS, recipient, window), page=PAGE, consistent=True)
    events = [one for one in readable(rows, KEYS) if one.event.type == "help-requested"]
    return [_notice(one) for one in sorted(events, key=lambda one: (one.arrived_ms, one.sort))]


def seen_among(subjects: Iterable[JsonMapping]) -> set[str]:
    """Return the partitions of those subjects that somebody has acknowledged."""
    partitions = sorted({about.partition_of(one) for one in subjects})
    found = in_parallel([partial(_is_seen, partition) for partition in partitions])
    return {partition for partition, is_seen in zip(partitions, found, strict=True) if is_seen}


def request_in(notice: Notice) -> HelpRequest:
    """Return the request of a notice."""
    if not isinstance(notice.detail, HelpRequest):
        raise TypeError("this notice is of no request")
    return notice.detail


def _is_digested(known: Sequence[Notice], slot_ms: int) -> bool:
    """Return True if the first request of a slot followed another one closely: the digest has it, then."""
    arrived = [request_in(notice).arrived_ms for notice in known]
    first = next((ms for ms in arrived if ms >= slot_ms), None)
    return first is None or any(first - QUIET_MS < ms < slot_ms for ms in arrived)


def _is_seen(partition: str) -> bool:
    query = KeyQuery(KEYS, partition, BeginsWith(PREFIX))
    return bool(TABLE.query(query, limit=1, consistent=True).items)


def _notice(stored: StoredEvent) -> Notice:
    asked = stored.event.entity("help")
    return Notice(
        id=stored.event.id,
        at_ms=stored.event.timestamp_ms,
        about=asked.get("about"),
        is_urgent=asked.text("urgency") == "high",
        detail=HelpRequest(stored.arrived_ms, asked),
    )


def unsettled(notices: Iterable[Notice], covered: set[str]) -> Iterator[Notice]:
    """Yield the notices that no delivery covers."""
    return (notice for notice in notices if notice.id not in covered)
