"""What lies around anchors, in whatever order they look: as a list says it, and read once."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_typed
from andon.rules import past as pasts
from andon.rules.past import Past
from andon.rules.stored_event import BEHIND_ALL, StoredEvent
from andon.testing.above_retries import Pass, between
from andon.testing.environment import frozen_clock
from andon.testing.memory.aws import OneTable
from andon.testing.memory.hook import Call
from toys.clock import NOW
from toys.toy_control import KEYS, TABLE, VARIABLE, knocked, on_happened, thing_of

PAGE: Final = 3
SPAN: Final = 20
KEY: Final = thing_of("press")


@pytest.fixture(scope="module", name="table")
def table_in_memory() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as table, frozen_clock(NOW), pytest.MonkeyPatch.context() as patch:
        patch.setattr(pasts, "PAGE_OF_PAST", PAGE)
        yield table


class Look(NamedTuple):
    """A look from the event at a millisecond: in a direction, up to a time, over so many events at most."""

    how: str
    at: int
    until: int
    most: int


LOOKS: Final = st.builds(
    Look,
    how=st.sampled_from(["upto", "behind", "within"]),
    at=st.integers(0, SPAN),
    until=st.integers(0, SPAN),
    most=st.integers(1, SPAN),
)


def stored(at: int, *, is_dead: bool = False) -> StoredEvent:
    event = knocked("press", at=NOW + at)
    one = on_happened(event).stored(event, arrived_ms=NOW)
    return one._replace(ttl=1) if is_dead else one


def found(past: Past, look: Look) -> list[StoredEvent]:
    sort, until_ms = stored(look.at).sort, NOW + look.at + look.until
    events = past.upto(sort) if look.how == "upto" else getattr(past, look.how)(sort, until_ms=until_ms)
    return [*islice(events, look.most)]


def listed(events: list[StoredEvent], look: Look) -> list[StoredEvent]:
    """Return what a look finds, by a model."""
    sort, until_ms = stored(look.at).sort, NOW + look.at + look.until
    if look.how == "upto":
        return [one for one in events if one.sort <= sort][::-1][: look.most]
    ahead = [one for one in events if one.sort > sort and one.event.timestamp_ms <= until_ms]
    return (ahead if look.how == "behind" else ahead[::-1])[: look.most]


@example([*range(SPAN)], [], [Look("within", 5, 4, 1), Look("upto", 9, 0, 20), Look("upto", 7, 0, 20)], [])
@example([*range(SPAN)], [], [Look("behind", 1, 3, 20), Look("behind", 2, 12, 20), Look("behind", 9, 1, 1)], [])
@given(
    st.lists(st.integers(0, SPAN), unique=True).map(sorted),
    st.lists(st.integers(0, SPAN), max_size=3),
    st.lists(LOOKS, min_size=1, max_size=6),
    st.lists(st.integers(0, SPAN), max_size=4),
)
def test_a_look_finds_what_lies_there_whatever_was_looked_at_before(
    table: OneTable, times: list[int], dead: list[int], looks: list[Look], anchors: list[int]
) -> None:
    events = [stored(at, is_dead=at in dead) for at in times]
    table.partitions = {KEY: {one.sort: to_typed(one.row(KEYS)) for one in events}}
    past = Past(TABLE, KEY, anchors=[stored(at).sort for at in anchors], now_ms=NOW)

    alive = [one for one in events if one.ttl > 1]
    for look in looks:
        assert found(past, look) == listed(alive, look), look
    assert past.looked == sum(len(listed(alive, look)) for look in looks)


@pytest.mark.parametrize("number", [10, 20, 40])
@pytest.mark.parametrize("how", ["behind", "upto", "within"])
def test_anchors_that_look_at_the_same_events_do_not_read_them_each(table: OneTable, how: str, number: int) -> None:
    events = [stored(at) for at in range(number)]
    table.partitions = {KEY: {one.sort: to_typed(one.row(KEYS)) for one in events}}
    past, read = Past(TABLE, KEY, anchors=[one.sort for one in events], now_ms=NOW), []

    def counted(_: Call, make: Pass) -> dict[str, Any]:
        answer = make()
        read.append(answer["Count"])
        return answer

    with between(counted):
        for at in range(number) if how == "behind" else reversed(range(number)):
            found(past, Look(how, at, number - at, number))
    assert sum(read) <= 2 * number + PAGE  # the end of a part that was read lies in the next one, too


def test_what_lies_behind_everything_is_nothing(table: OneTable) -> None:
    table.partitions = {}

    assert [*Past(TABLE, KEY, anchors=[], now_ms=NOW).upto(BEHIND_ALL)] == []
