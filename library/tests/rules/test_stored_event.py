from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.keys import MAX_SORT_KEY_BYTES
from andon.dynamodb.schema import Keys
from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.events.domain_event import MAX_TIMESTAMP_MS, DomainEvent
from andon.rules.collect import Collected
from andon.rules.stored_event import BEHIND_ALL, PREFIX, StoredEvent, behind, correlation_key, sort_of
from toys.clock import NOW
from toys.things import happened

KEYS = Keys("the partition", "the sort key", one_partition_per="entity")

texts = st.text(st.characters(codec="utf-8"), max_size=8)
names = texts.filter(str.isprintable)
places = st.tuples(st.integers(0, MAX_TIMESTAMP_MS) | st.integers(NOW - 2, NOW + 2), texts.filter(bool))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
events = st.builds(
    DomainEvent,
    id=names.filter(bool),
    type=names.filter(bool),
    timestamp_ms=st.integers(0, MAX_TIMESTAMP_MS),
    partition_key=names,
    entities=st.fixed_dictionaries({"thing": st.dictionaries(texts, values, max_size=3)}),
    tags=st.dictionaries(texts, texts, max_size=2),
    raw=st.none() | st.fixed_dictionaries({"new": st.dictionaries(texts, values, max_size=2)}),
)
stored_events = st.builds(
    StoredEvent,
    source=texts.filter(bool),
    event=events,
    arrived_ms=st.integers(0, MAX_TIMESTAMP_MS),
    key=texts.filter(bool),
    sort=texts.filter(bool),
    ttl=st.integers(0, MAX_TIMESTAMP_MS // 1000),
    expire=st.none() | texts.filter(bool),
    entity=st.none() | texts.filter(bool),
    late_by=st.frozensets(st.tuples(texts, texts), max_size=2),
    flooded=st.booleans(),
    correlated=st.booleans(),
    follows_ms=st.none() | st.integers(0, MAX_TIMESTAMP_MS),
    unsteady=st.booleans(),
)


def collected(event: DomainEvent, **members: Any) -> Collected:  # noqa: ANN401
    made: dict[str, Any] = {"key": "a thing", "source": "workshop", "ttl_days": 10}
    return Collected.of(event, **made | members)


@given(places, places)
def test_the_order_of_keys_is_that_of_time_and_then_of_identity(one: tuple[int, str], other: tuple[int, str]) -> None:
    is_before = one < other

    assert (sort_of(*one) < sort_of(*other)) == is_before
    # DynamoDB compares the bytes of keys.
    assert (sort_of(*one).encode() < sort_of(*other).encode()) == is_before
    assert (sort_of(*one) == sort_of(*other)) == (one == other)


@given(stored_events)
def test_a_row_is_read_back_as_it_was_written_but_for_what_stood_in_the_stream(one: StoredEvent) -> None:
    row = to_plain(to_typed(one.row(KEYS)))

    read = StoredEvent.of(row, KEYS)

    assert "raw" not in row["event"]
    assert read.event.to_wire() == {name: value for name, value in one.event.to_wire().items() if name != "raw"}
    others = [name for name in StoredEvent._fields if name != "event"]
    assert {name: getattr(read, name) for name in others} == {name: getattr(one, name) for name in others}


def test_a_row_says_what_happened_when_it_arrived_and_until_when_it_is_kept() -> None:
    event = happened("knocked", "a thing", at=NOW - 5_000, id="e1", room="hall")

    row = collected(event).stored(event, arrived_ms=NOW + 7).row(KEYS)

    assert row == {
        "the partition": "a thing",
        "the sort key": f"event#{NOW - 5_000}#e1",
        "discriminator": "event",
        "source": "workshop",
        "event": event.to_wire(),
        "arrived": NOW + 7,
        "ttl": NOW // 1000 - 5 + 10 * SECONDS_PER_DAY,
    }
    ending = collected(event, expire="thing-faded").stored(event, arrived_ms=NOW).row(KEYS)
    assert ending["expire"] == "thing-faded"


def test_an_event_is_named_by_its_id_where_nothing_else_names_it() -> None:
    event = happened("knocked", "a thing", id="e1")

    assert collected(event).target == ("a thing", f"{PREFIX}{NOW}#e1")
    assert collected(event, identity="left hand").target == ("a thing", f"{PREFIX}{NOW}#left hand")


@pytest.mark.parametrize("character", ["x", "é", "€", "𝄞"])
def test_an_identity_fills_a_key_up_to_1024_bytes_and_no_further(character: str) -> None:
    size = len(character.encode())
    room = MAX_SORT_KEY_BYTES - len(sort_of(NOW, "").encode())
    filling = "x" * (room % size) + character * (room // size)

    assert len(sort_of(NOW, filling).encode()) == 1024
    with pytest.raises(ValueError, match="at most 1024 bytes"):
        sort_of(NOW, filling + "x")


def test_a_suffix_keeps_events_apart_that_correlate_by_the_same() -> None:
    assert correlation_key("Thing#1") == "Thing#1"
    assert correlation_key("Thing#1", "noise") == "Thing#1#noise"
    with pytest.raises(ValueError, match="no '#'"):
        correlation_key("Thing#1", "a#b")


@pytest.mark.parametrize("timestamp_ms", [-1, MAX_TIMESTAMP_MS + 1, 10**13])
def test_what_could_not_be_read_back_is_not_stored(timestamp_ms: int) -> None:
    with pytest.raises(ValueError, match="read back"):
        sort_of(timestamp_ms, "e1")


@pytest.mark.parametrize("timestamp_ms", [0, NOW, MAX_TIMESTAMP_MS - 1, MAX_TIMESTAMP_MS])
def test_behind_a_millisecond_lies_what_is_behind_all_of_its_events_and_before_all_others(timestamp_ms: int) -> None:
    assert sort_of(timestamp_ms, "\U0010ffff") < behind(timestamp_ms) <= BEHIND_ALL
    if timestamp_ms < MAX_TIMESTAMP_MS:
        assert behind(timestamp_ms) < sort_of(timestamp_ms + 1, "\x00")
