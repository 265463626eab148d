import json
from typing import Any

import pytest
from events.test_domain_event import events, texts
from hypothesis import given
from hypothesis import strategies as st

from andon.events.bus_entry import (
    MAX_AHEAD_MS,
    MAX_REQUEST_BYTES,
    Replay,
    from_message,
    require_not_ahead,
    size_of,
    to_entry,
    to_message,
    to_replayed,
)
from andon.events.domain_event import MAX_NAME_CHARACTERS, DomainEvent
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.wire import queue
from toys.things import happened


@given(events, texts)
def test_an_event_comes_out_of_the_queue_as_it_was_put_on_the_bus_or_written_by_us(
    event: DomainEvent, source: str
) -> None:
    entry = to_entry(event, source=source, bus="bus")
    envelope = {"version": "0", "source": entry["Source"], "detail-type": entry["DetailType"]}
    put = json.dumps({**envelope, "detail": json.loads(entry["Detail"])})

    for body in (put, to_message(event, source=source)):
        delivery = from_message(body)
        assert (delivery.source, delivery.event) == (source, event)


# What EventBridge adds, as long as it can be, and the mark of a replay.
AROUND: dict[str, Any] = {
    "version": "0",
    "id": "6a7e8feb-b491-4cf7-a9f1-bf3703467718",
    "account": "123456789012",
    "time": "2026-11-22T05:00:00Z",
    "region": "ap-southeast-2",
    "resources": [],
}


@given(
    source=st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=MAX_NAME_CHARACTERS),
    kind=st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=MAX_NAME_CHARACTERS),
    name=texts,
    filler=st.sampled_from(["x", '"', "\\", "\x7f", "é", "工", "🏭"]),
)
def test_an_entry_that_is_as_large_as_the_bus_takes_fits_into_a_message_also_when_it_comes_again(
    source: str, kind: str, name: str, filler: str
) -> None:
    def sized(note: str) -> tuple[int, str]:
        event = happened("painted", "a thing", note=note)._replace(type=kind)
        entry = to_entry(event, source=source, bus="bus")
        envelope = {**AROUND, "source": source, "detail-type": kind, "detail": json.loads(entry["Detail"])}
        return size_of(entry), to_replayed(envelope, Replay(name, until=10**12))

    frame, _ = sized("")
    each = len(json.dumps(filler, ensure_ascii=False).encode()) - 2
    size, body = sized(filler * ((MAX_REQUEST_BYTES - frame) // each))

    assert MAX_REQUEST_BYTES - each < size <= MAX_REQUEST_BYTES
    assert len(body.encode()) <= queue.MOST_BYTES


TAKEN = times.to_ms("2020-04-24T14:50:00Z")
YEAR_2100 = times.to_ms("2100-01-01T00:00:00Z")


NO_TIMES: list[object] = [None, "", "now", "2020-04-24", 7, {}]


def _check(time: object, *, now_ms: int, at: int) -> None:
    event = happened("painted", "lathe", at=at)
    require_not_ahead(from_message(to_message(event, source="x", bus_event={"time": time})), now_ms=now_ms)


@pytest.mark.parametrize("at", [0, TAKEN, TAKEN + MAX_AHEAD_MS])
@pytest.mark.parametrize("time", ["2020-04-24T14:50:00Z", *NO_TIMES], ids=str)
def test_an_event_may_lie_as_far_ahead_as_clocks_differ(time: object, at: int) -> None:
    _check(time, now_ms=TAKEN, at=at)


@pytest.mark.parametrize(
    ("time", "now_ms", "at"),
    [
        ("2020-04-24T14:50:00Z", TAKEN, TAKEN + MAX_AHEAD_MS + 1),
        ("2020-04-24T14:50:00Z", YEAR_2100, TAKEN + MAX_AHEAD_MS + 1),  # read very late: the same answer
        ("2100-01-01T00:00:00Z", TAKEN, YEAR_2100),  # who puts an event on the bus may choose its time
        *((time, TAKEN, TAKEN + MAX_AHEAD_MS + 1) for time in NO_TIMES),
    ],
    ids=str,
)
def test_an_event_from_the_future_is_poison(time: object, now_ms: int, at: int) -> None:
    with pytest.raises(Poison, match="ahead"):
        _check(time, now_ms=now_ms, at=at)


def test_what_a_command_accepts_ahead_of_its_clock_is_not_ahead_of_the_bus() -> None:
    seconds_cut_off, clocks = 1000, 30_000

    assert times.MAX_AHEAD_MS + seconds_cut_off + clocks < MAX_AHEAD_MS


@pytest.mark.parametrize(
    ("time", "at", "taken_ms"),
    [
        ("2020-04-24T14:50:00Z", TAKEN + 999, TAKEN + 999),  # as exact as it can be
        ("2020-04-24T14:50:00Z", TAKEN, TAKEN),
        ("2020-04-24T14:50:00Z", TAKEN - 3_600_000, TAKEN),  # a device's clock is an hour slow
        ("2020-04-24T14:50:00Z", TAKEN + 1_000, TAKEN),  # or fast
        *((time, TAKEN - 1, TAKEN - 1) for time in NO_TIMES),
    ],
    ids=str,
)
def test_an_event_is_on_its_way_since_the_bus_took_it_whatever_clocks_said(
    time: object, at: int, taken_ms: int
) -> None:
    event = happened("painted", "lathe", at=at)

    assert from_message(to_message(event, source="x", bus_event={"time": time})).taken_ms == taken_ms
