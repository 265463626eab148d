from collections.abc import Callable, Iterator

import pytest

from andon.dynamodb.attribute_values import Item
from andon.packages.package import Package
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.compare import Compared, compare
from andon.tools.views.prove import Pace, PublishedEvent, Seen, settle, without_outdated
from andon.views.view_update import On, ViewUpdate, event_order
from tests.support.samples import fact

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
    assert settle(one_by_one(EQUAL), lambda: False, PACE) == (1, 1, (), 0)


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


BOARD = Package("views", "board")
ASSIGNED = PublishedEvent("dispatch", fact("operator-assigned"))


def written() -> Item:
    """The row that today's code of the board makes of one event."""
    on: On = BOARD.load("view").ON
    update = on[(ASSIGNED.source, ASSIGNED.event.type)](ASSIGNED.event)
    assert isinstance(update, ViewUpdate)
    order = event_order(ASSIGNED.event, update.about_ms, update.origin)
    said = {name: value for name, value in update.fields.items() if value is not None}
    return {**update.key, **update.key_fields, **said, f"oplock#{update.oplock}": order}


@pytest.mark.parametrize(
    ("earlier", "after", "in_lake", "outdated"),
    [
        ({"Operator": None, "Badge": "op-1"}, {}, True, True),  # renamed since
        ({"Badge": "op-1"}, {}, True, True),  # gone since
        ({"Operator": "op-1"}, {}, True, True),  # says something else since
        ({"Badge": "op-1"}, {}, False, False),
        ({"Badge": "op-1"}, {"Operator": "OP-1"}, True, False),
        ({}, {"Badge": "op-1"}, True, False),
        ({"ttl": 1_999_999_999}, {}, True, False),
        ({"oplock#other": "1790000000000#e"}, {"oplock#other": "1790000000000#e", "Badge": "op-1"}, True, False),
    ],
)
def test_a_row_that_earlier_code_wrote_is_counted_and_differs_only_from_what_todays_code_would_write(
    earlier: Item, after: Item, *, in_lake: bool, outdated: bool
) -> None:
    row = {**written(), **earlier}
    before = {name: value for name, value in row.items() if value is not None}
    compared = compare(
        [before],
        [{**written(), **after}],
        names=BOARD.view.KEYS.names,
        as_before=lambda row: row,
        expires=True,
        now_ms=1,
    )
    assert len(compared.differences) == 1
    seen = set[Seen]()

    found = without_outdated(compared, seen, lambda _: {ASSIGNED.event.id: ASSIGNED} if in_lake else {}, BOARD)

    assert (found.outdated, len(found.differences)) == ((1, 0) if outdated else (0, 1))
    assert without_outdated(compared, seen, lambda _: {}, BOARD) == found
