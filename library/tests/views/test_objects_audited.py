"""Rows in objects are compared with their events and repaired, and read no older than a write of one's own."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest

from andon.drift.recompute import queue_variable, recompute
from andon.dynamodb.attribute_values import Item
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.written import Written
from andon.http.after import NotSeenYet, awaited, read_object
from andon.runtime import clock, times
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Invalid
from andon.testing.environment import LocalContext, frozen_clock
from andon.testing.lambda_events import sqs_event
from andon.testing.log_lines import LogLines
from andon.testing.memory.one_bucket import OneBucket
from andon.views.inverse_oplock import event_order
from andon.views.seen import Writes
from toys.clock import NOW
from toys.shelves import DAY, ON, SHELVES, TTL_DAYS, VIEW, deliver, key_of, lent, put

QUEUE: Final = "World-shelves-recompute"
LATER: Final = NOW + 2 * DAY_MS  # nothing is on its way any more
EVENTS: Final = (
    put("emma", "a", at=NOW - 3000),
    put("emma", "b", "a", at=NOW - 2000, by="Ada"),
    lent("emma", "b", "Liz", at=NOW - 1000),
    put("ulysses", "b", at=NOW),
    put("dubliners", "c", at=NOW),
)


class Past:
    """The events of the lake."""

    def __init__(self, events: Sequence[DomainEvent] = EVENTS) -> None:
        self._lines = [(event.partition_key, line_of(event)) for event in events]

    def sample(self, _: int) -> list[str]:
        return [partition for partition, _ in self._lines]

    def of_partitions(self, partitions: Sequence[str], _: int, *, with_late: bool) -> Iterator[tuple[str, str]]:  # noqa: ARG002  all came in time
        return (one for one in self._lines if one[0] in partitions)

    def of_shard(self, shard: int, _: int) -> Iterator[tuple[str, str]]:
        assert shard == 0
        return iter(self._lines)

    def has_since(self, since_ms: int) -> bool:  # noqa: ARG002  as the protocol says
        """True."""
        return True

    def begins_ms(self) -> int | None:
        return NOW - 40 * DAY_MS


def line_of(event: DomainEvent) -> str:
    return to_message(event, source="library", bus_event={"time": times.to_utc(event.timestamp_ms)})


@pytest.fixture(name="memory")
def memory_of_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[OneBucket]:
    monkeypatch.setenv(queue_variable(VIEW.name), QUEUE)
    with OneBucket(SHELVES) as memory, frozen_clock(NOW):
        yield memory


def looked(memory: OneBucket, past: Past | None = None) -> list[Item]:
    """Look at all rows, and again at doubtful ones; return what was found."""
    past, batch = past or Past(), [json.dumps({"shard": 0})]
    with frozen_clock(LATER):
        while batch:
            answer = recompute(sqs_event(batch), LocalContext("recompute"), listener=VIEW, past=past)
            assert answer["batchItemFailures"] == []
            batch = memory.queues.take(QUEUE)
    found, memory.bus = [json.loads(entry["Detail"])["drift"] for entry in memory.bus], []
    return found


def sound(memory: OneBucket) -> dict[str, bytes]:
    deliver(*EVENTS)
    assert looked(memory) == []
    return dict(memory.store[SHELVES.variable].bodies)


FORGED: Final[dict[str, dict[str, Any]]] = {
    "other values": {"by": "nobody"},
    "an order that lies ahead": {"oplock#put": "4102444800000#never"},
    "another ttl": {"ttl": NOW // 1000 + 99 * 86_400},
    "a book that is gone, and lies there": {"gone": True},
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_not_as_its_events_make_it_is_found_and_repaired(memory: OneBucket, forged: str) -> None:
    before = sound(memory)
    SHELVES.update(key_of("emma", "b"), assign=FORGED[forged], condition=UNCONDITIONAL)

    [found] = looked(memory)

    assert found["key"] == dict(key_of("emma", "b"))
    assert memory.store[SHELVES.variable].bodies == before
    assert looked(memory) == []


@pytest.mark.parametrize(("book", "shelf"), [("emma", "b"), ("emma", "a"), ("dubliners", "c")])
def test_what_is_missing_a_second_time_is_written_again_a_tombstone_as_well(
    memory: OneBucket, book: str, shelf: str
) -> None:
    before = sound(memory)
    SHELVES.delete(key_of(book, shelf))

    assert [found["kinds"] for found in looked(memory)] == [["missing"]]
    assert memory.store[SHELVES.variable].bodies == before


def test_an_object_that_is_gone_comes_back_row_by_row(memory: OneBucket) -> None:
    before = sound(memory)
    del memory.store[SHELVES.variable].bodies[SHELVES.name_of(("b", DAY))]

    assert len(looked(memory)) == 2
    assert memory.store[SHELVES.variable].bodies == before


BROKEN: Final = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"{}",
    b'{"rows": 7}',
    b'{"rows": [7]}',
    b'{"rows": [{"n": 1}]}',
    b"\xff",
    b"[" * 10_000,
]


@pytest.mark.parametrize("body", BROKEN, ids=lambda body: ascii(body[:12]))
def test_an_object_that_cannot_be_read_is_as_absent_and_comes_back(
    memory: OneBucket, log_lines: LogLines, body: bytes
) -> None:
    before = sound(memory)
    bodies = memory.store[SHELVES.variable].bodies
    bodies[min(bodies)] = body

    assert SHELVES.shown(next(SHELVES.groups()), now_ms=NOW) == []
    assert any(line["message"] == "an object cannot be read" for line in log_lines)
    assert looked(memory)
    assert bodies == before


def test_a_row_that_no_event_is_known_of_is_reported_and_left(memory: OneBucket) -> None:
    sound(memory)
    stray = put("emma", "b", at=NOW - 500, id="stray", by="Eve")
    deliver(stray)

    [found] = looked(memory)

    assert (found["kinds"], found["repair"]) == (["unknown"], "none")
    assert SHELVES.get(key_of("emma", "b"))["oplock#put"] == event_order(stray)  # type: ignore[index]


# --- reads that are not older than a write

WRITES: Final = Writes(table=SHELVES, on=ON, days=TTL_DAYS)


def token_of(event: DomainEvent, *, names: tuple[str, ...] = ("book", "shelf", "by")) -> str:
    [entity] = event.entities
    event = event._replace(tags={"source": "library"})
    return Written.of_event(event, entity, names).to_token()


def read(event: DomainEvent, shelf: str, **how: Any) -> list[str]:  # noqa: ANN401
    after = awaited(token_of(event, **how), WRITES)
    return [row["book"] for row in read_object(SHELVES, (shelf, DAY), after, now_ms=NOW)]


def test_a_read_with_the_token_of_a_write_waits_until_the_object_has_seen_it(
    memory: OneBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved, waits = put("emma", "b", "a", by="Ada"), list[float]()
    deliver(put("emma", "a", at=NOW - 1000), put("ulysses", "b", at=NOW - 1000))

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            deliver(moved)

    monkeypatch.setattr(clock, "wait", wait)
    assert read(moved, "b") == ["emma", "ulysses"]
    assert len(waits) == 2
    assert read_object(SHELVES, ("a", DAY), None, now_ms=NOW) == []
    assert memory.bus == []


@pytest.mark.usefixtures("memory")
def test_a_read_never_shows_less_than_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "wait", lambda _: None)

    with pytest.raises(NotSeenYet):
        read(put("emma", "b", "a", by="Ada"), "b")


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize(("shelf", "names"), [("a", ("book", "shelf", "by")), ("b", ("book",))])
def test_a_token_of_another_object_or_of_none_is_refused(shelf: str, names: tuple[str, ...]) -> None:
    with pytest.raises(Invalid):
        read(put("emma", "b", "a", by="Ada"), shelf, names=names)
