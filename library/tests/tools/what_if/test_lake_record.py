"""A tree reads of a record the event that the line of the lake says; a line is a record, or counts as unreadable."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.events.bus_entry import from_envelope
from andon.runtime.errors import Poison
from andon.tools.what_if.lake_record import LakeRecord, delivery_in, record_in
from andon.tools.what_if.splitting import Sought, Splitter
from andon.tools.what_if.tree import records_in

TIME = "2026-11-21T09:35:00Z"
TAKEN_MS = 1_795_253_700_000
TOPIC = ("things", "thing-happened")

texts = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(["\t", "\n", "a\tb", "*", '"raw":', "1.0,"])
numbers = st.integers(-(2**53), 2**53) | st.integers(-40, 40).map(lambda quarters: quarters / 4)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def details(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Members of an event that somebody published; those that are given, and some that may be missing."""
    optional = {name: values for name in ("tags", "raw", "partitionKey", "thing") if name not in members}
    return st.fixed_dictionaries(members, optional=optional)


good = details(
    id=st.text("abc", min_size=1, max_size=4),
    type=st.just(TOPIC[1]),
    timestamp=st.integers(0, 2**42),
    partitionKey=st.text("säge-ü#1", max_size=4),
)
bad = details(id=values, type=st.just(TOPIC[1]) | values, timestamp=numbers | values)


def line_of(detail: object) -> bytes:
    return json.dumps({"source": TOPIC[0], "detail-type": TOPIC[1], "time": TIME, "detail": detail}).encode()


def is_readable(line: bytes) -> bool:
    try:
        from_envelope(json.loads(line))
    except Poison:
        return False
    return True


@given(detail=good)
def test_an_event_is_the_same_once_it_was_written_and_read(detail: dict[str, Any]) -> None:
    line = line_of(detail)
    said = delivery_in(line)
    wanted = from_envelope(json.loads(line))
    record = record_in(LakeRecord.of(said).to_bytes())
    again = record.delivery
    assert (again.source, again.event[:-1], again.event.raw) == (wanted.source, wanted.event[:-1], wanted.event.raw)
    assert again.event.new_row == wanted.event.new_row
    assert again.event.without_raw() == wanted.event._replace(raw=None)
    assert (record.taken_ms, record.timestamp_ms) == (wanted.taken_ms, wanted.event.timestamp_ms)
    assert record.subject == wanted.event.partition_key


@settings(max_examples=25)  # each writes files
@given(some=st.lists(good | bad, max_size=6))
@pytest.mark.parametrize("others", [frozenset({TOPIC}), frozenset()])
def test_each_line_is_read_or_counts_as_unreadable_also_where_nobody_needs_it(
    tmp_path_factory: pytest.TempPathFactory, others: frozenset[tuple[str, str]], some: list[dict[str, Any]]
) -> None:
    room = tmp_path_factory.mktemp("room")
    lines = [*map(line_of, some), b"", b"[1, 2", b'"text"', b'{"source": "things"}', b"\xff\xfe"]
    sought = Sought(frozenset(), others, frozenset(), {}, 0, None)
    split = Splitter(sought, room).split(lines)
    readable = [line for line in lines[: len(some)] if is_readable(line)]
    assert split.lake.unreadable == len(lines) - len(readable)
    assert split.lake.events == (len(readable) if others else 0)
    assert len([record.delivery for record in records_in(split.files)]) == len({*readable} if others else ())


def test_records_of_one_millisecond_are_in_the_order_of_their_times_and_what_was_decided_is_behind_them() -> None:
    events = [
        delivery_in(line_of({"id": "a", "type": TOPIC[1], "timestamp": at, "partitionKey": "t"})).event
        for at in (TAKEN_MS - 5, TAKEN_MS - 9)
    ]
    records = [LakeRecord(TAKEN_MS, event.timestamp_ms, "t", b"[]") for event in events]
    facts = [
        LakeRecord.of_fact("things", events[0], about=about, taken_ms=TAKEN_MS, number=number)
        for about, number in (("b", 3), ("a", 10), ("a", 9))
    ]
    in_order = sorted(one.to_bytes() for one in (*facts, *records, LakeRecord(TAKEN_MS - 1, TAKEN_MS, "z", b"[]")))
    found = [(one.taken_ms - TAKEN_MS, one.timestamp_ms, one.subject, one.mark) for one in map(record_in, in_order)]
    last = facts[0].timestamp_ms
    assert found == [
        (-1, TAKEN_MS, "z", ""),
        (0, TAKEN_MS - 9, "t", ""),
        (0, TAKEN_MS - 5, "t", ""),
        (0, last, "a", f"{9:013d}"),
        (0, last, "a", f"{10:013d}"),
        (0, last, "b", f"{3:013d}"),
    ]
