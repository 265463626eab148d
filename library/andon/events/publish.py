"""Domain events -> bus: grouped where the project groups, and a fault in place of what the bus will never take."""

import os
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from andon.events import fault
from andon.events.bus_entry import BusEntry, to_entry
from andon.events.domain_event import DomainEvent
from andon.events.group import cut, to_detail
from andon.events.put_entries import PutResult, put_all
from andon.runtime import clock

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
