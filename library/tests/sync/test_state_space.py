"""Every order of edits and messages, in small worlds: both sides end up the same, and edits do not come back."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from andon.events import change_data_capture
from andon.events.domain_event import DomainEvent
from andon.events.hops import MAX_HOPS
from andon.sync.crossing import CrossedRow, Edit, Upon
from andon.testing.log_lines import LogLines
from andon.views.outcome import Outcome
from toys.pair import Name, shared_of
from toys.two_sides import TwoSides
from toys.worlds import Planned, Plans, State, explore

PUT, LATER, DELETE = Planned("put", 1), Planned("put", 2), Planned("delete", 1)


@pytest.fixture(scope="module")
def rows() -> Iterator[TwoSides]:
    with TwoSides() as sides:
        yield sides


@pytest.fixture
def histories() -> Iterator[TwoSides]:
    with TwoSides(keeps_history=True) as sides:
        yield sides


# An edit upon another one is later than that, whatever the clock says: so (2, 1) is (2, 3).
SMALL: list[Plans] = [
    {"old": [PUT, PUT], "new": [PUT, PUT]},
    {"old": [PUT, PUT], "new": [LATER, PUT]},
    {"old": [LATER, PUT], "new": [PUT, PUT]},
    {"old": [PUT, DELETE], "new": [PUT, PUT]},
    {"old": [PUT, PUT], "new": [LATER, DELETE]},
]
LARGER: list[Plans] = [{"old": [PUT, PUT, PUT], "new": [PUT]}, {"old": [PUT, DELETE], "new": [PUT, DELETE, PUT]}]


def published_in(state: State) -> list[Edit]:
    """Return the edits that were published, as the bus has them."""
    messages = (*state.waiting, *state.came)
    return sorted(Edit(json.loads(body)["detail"]["timestamp"], source) for source, body in messages)


def in_order(sides: TwoSides, state: State) -> None:
    """Check a state: each edit was published once, by its service; what has come changes nothing if it comes again."""
    assert published_in(state) == sorted(state.edits)
    sides.require_histories()
    before = [sides.row(side) for side in sides.sides.values()]
    for source, body in state.came:
        assert sides.listen(sides.sides[source].other, [body]) == []
    assert [sides.row(side) for side in sides.sides.values()] == before


def same(sides: TwoSides, state: State) -> None:
    """Check an end: both sides are the same, by the newest of all edits that were made."""
    assert sides.is_same()
    said = sides.said(sides.old)
    assert said is not None
    assert said[0] == max(state.edits)


@pytest.mark.parametrize("plans", [*SMALL, *LARGER], ids=str)
def test_both_sides_end_up_the_same_by_the_newest_edit(rows: TwoSides, plans: Plans) -> None:
    assert explore(rows, plans, at_each=in_order, at_end=same).ends


@pytest.mark.parametrize("plans", SMALL[2:], ids=str)
def test_both_sides_with_their_histories_end_up_the_same(histories: TwoSides, plans: Plans) -> None:
    assert explore(histories, plans, at_each=in_order, at_end=same).ends


def nothing(sides: TwoSides, state: State) -> None:
    """Check nothing."""


def by_time_alone(row: CrossedRow[Any], upon: Upon) -> Outcome | None:
    """Drop an edit as if its origin did not count."""
    if upon.row is None or upon.row["timestamp"] < row.edit.timestamp_ms:
        return None
    return Outcome.DUPLICATE if upon.row["timestamp"] == row.edit.timestamp_ms else Outcome.STALE


def test_with_the_time_alone_the_sides_come_apart_at_times(rows: TwoSides, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CrossedRow, "dropped_upon", by_time_alone)
    apart = []

    def find(sides: TwoSides, _: State) -> None:
        if not sides.is_same():
            apart.append([sides.said(side) for side in sides.sides.values()])

    explore(rows, {"old": [PUT], "new": [PUT]}, at_each=nothing, at_end=find)

    assert apart == [[(Edit(1, "old"), False, ("old0",)), (Edit(1, "new"), False, ("new0",))]]


def test_without_latches_the_same_edits_cross_twice(rows: TwoSides, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_data_capture, "is_latched", lambda _: False)
    doubled = []

    def find(sides: TwoSides, state: State) -> None:
        old, new = (sides.row(side) for side in sides.sides.values())
        assert old is not None
        assert new is not None
        assert shared_of(sides.old, old) == shared_of(sides.new, new)
        if published_in(state) != sorted(state.edits):
            doubled.append(published_in(state))

    explore(rows, {"old": [], "new": [PUT]}, at_each=nothing, at_end=find)

    assert doubled == [[Edit(1, "new"), Edit(1, "new"), Edit(1, "old")]]


def without_latch(monkeypatch: pytest.MonkeyPatch, sides: TwoSides, name: Name) -> None:
    """Let the trigger of one service publish what crossed into it."""
    trigger = sides.trigger

    def unlatched(side: Any, records: list[dict[str, Any]]) -> list[str]:  # noqa: ANN401
        with monkeypatch.context() as patch:
            if side.name == name:
                patch.setattr(change_data_capture, "is_latched", lambda _: False)
            return trigger(side, records)

    monkeypatch.setattr(sides, "trigger", unlatched)


@pytest.mark.parametrize(("name", "outcome"), [("old", "applied"), ("new", "stale")])
def test_without_one_latch_an_edit_comes_back_once_and_is_counted(
    rows: TwoSides, monkeypatch: pytest.MonkeyPatch, log_lines: LogLines, name: Name, outcome: str
) -> None:
    rows.clear()
    without_latch(monkeypatch, rows, name)
    made = rows.sides[name].other
    made.put("n", {"text": "a", "lines": ["a"]}, now_ms=1)

    rows.settle()

    back = [line for line in log_lines if line.get("view") == made.name]
    assert [line[outcome] for line in back] == [1]
    assert [event.tags.get("hops") for event in events_of(rows)] == [None, "1"]


def test_without_latches_and_with_an_order_that_takes_equal_times_it_goes_round_until_the_hops_end_it(
    rows: TwoSides, monkeypatch: pytest.MonkeyPatch, log_lines: LogLines
) -> None:
    rows.clear()
    monkeypatch.setattr(change_data_capture, "is_latched", lambda _: False)
    monkeypatch.setattr(CrossedRow, "dropped_upon", lambda *_: None)
    rows.old.put("n", {"text": "a"}, now_ms=1)

    rows.settle()

    hops = [event.tags.get("hops") for event in events_of(rows)]
    assert hops == [None, *map(str, range(1, MAX_HOPS + 2))]
    assert [line["fault"] for line in log_lines if "view" in line] == [0] * (MAX_HOPS + 1) + [1]


def events_of(sides: TwoSides) -> list[DomainEvent]:
    events = [DomainEvent.from_wire(envelope["detail"]) for envelope in sides.published]
    return [event for event in events if event.type != "fault"]
