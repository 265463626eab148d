from collections.abc import Callable, Iterator

import pytest

from andon.dynamodb.attribute_values import Item
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.compare import Compared, compare
from andon.tools.views.prove import Pace, settle

PACE = Pace(settles_s=0.05, patience_s=0.5)


def seen(order: str, operator: str = "Ann") -> Item:
    return {"EquipmentID": "press-7", "oplock#assigned": f"1790000000000#{order}", "Operator": operator}


def read(before: Item, *after: Item) -> Compared:
    return compare(
        [before], after, names=("EquipmentID",), as_before=lambda row: row, expires=False, now_ms=1_790_000_000_000
    )


EQUAL = read(seen("1"), seen("1"))
BEHIND = read(seen("2"), seen("1"))
WRONG = read(seen("1"), seen("1", "ANN"))


def one_by_one(*readings: Compared) -> Callable[[], Compared]:
    """Answer these in turn, and then the last one for ever."""
    left: Iterator[Compared] = iter(readings)
    return lambda: next(left, readings[-1])


def test_equal_rows_are_a_proof_at_once() -> None:
    assert settle(one_by_one(EQUAL), lambda: False, PACE) == (1, 1, ())


def test_a_row_that_is_behind_is_read_again() -> None:
    assert settle(one_by_one(BEHIND, BEHIND, EQUAL), lambda: False, PACE).differences == ()


def test_a_row_that_catches_up_and_says_something_else_is_final() -> None:
    assert settle(one_by_one(BEHIND, WRONG), lambda: False, PACE).differences == WRONG.differences


def test_a_row_that_says_something_else_is_final_while_events_go_on() -> None:
    assert settle(one_by_one(WRONG, EQUAL), lambda: False, PACE).differences == WRONG.differences


@pytest.mark.parametrize("reading", [BEHIND, read(seen("1")), read(seen("1"), seen("2"))])
def test_a_row_that_lacks_an_event_when_none_is_on_its_way_is_final(reading: Compared) -> None:
    assert settle(one_by_one(reading), lambda: True, PACE).differences == reading.differences


def test_rows_that_lack_events_while_some_are_on_their_way_are_no_proof() -> None:
    with pytest.raises(ToolFailed, match="still change"):
        settle(one_by_one(BEHIND), lambda: False, PACE)


def test_a_row_that_goes_on_seeing_events_is_not_final_though_the_queues_are_empty_now_and_then() -> None:
    turns = [read(seen(f"{number}"), seen(f"{number - 1}")) for number in range(2, 8)]

    assert settle(one_by_one(*turns, EQUAL), lambda: True, Pace(settles_s=0.05, patience_s=5)).differences == ()
