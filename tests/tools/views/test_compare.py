import pytest

from andon.dynamodb.attribute_values import Item
from andon.events.domain_event import DomainEvent
from andon.tools.views.compare import Compared, DifferenceKind, Field, compare, event_id
from andon.views.view_update import event_order

NOW = 1_790_000_000_000
OLDER, NEWER = "1790000000000#a", "1790000000001#b"


def row(key: str = "press-7", **more: object) -> Item:
    return {"EquipmentID": key, "oplock#assigned": OLDER, "Operator": "Ann", **more}


def differing(before: list[Item], after: list[Item], *, expires: bool = False) -> Compared:
    return compare(before, after, names=("EquipmentID",), as_before=as_before, expires=expires, now_ms=NOW)


def as_before(row: Item) -> Item | None:
    return None if row.get("New") else {name: value for name, value in row.items() if name != "Shift"}


def kinds(before: list[Item], after: list[Item]) -> list[DifferenceKind]:
    return [one.kind for one in differing(before, after).differences]


def test_rows_that_are_the_same_do_not_differ() -> None:
    assert differing([row()], [row()]) == Compared(1, 1, ())


def test_what_is_new_on_purpose_is_left_out() -> None:
    assert differing([row()], [row(Shift="night"), row("line-3", New=True)]) == Compared(1, 1, ())


def test_a_row_that_says_something_else_of_the_same_events_is_final() -> None:
    [difference] = differing([row()], [row(Operator="ANN")]).differences

    assert (difference.key, difference.kind) == (("press-7",), DifferenceKind.DIFFERENT)
    assert difference.fields == (Field("Operator", "Ann", "ANN"),)


@pytest.mark.parametrize("name", ["Operator", "Name"])
def test_an_attribute_that_only_one_row_has_differs(name: str) -> None:
    without = {key: value for key, value in row().items() if key != name}

    assert kinds([without], [{**without, name: "Ann"}]) == [DifferenceKind.DIFFERENT]
    assert kinds([{**without, name: "Ann"}], [without]) == [DifferenceKind.DIFFERENT]


def test_a_row_that_has_seen_other_events_is_ahead_or_behind() -> None:
    newer = row(Operator="Bob") | {"oplock#assigned": NEWER}

    assert kinds([newer], [row()]) == [DifferenceKind.BEHIND]
    assert kinds([row()], [newer]) == [DifferenceKind.AHEAD]


def test_a_row_that_is_ahead_in_one_thing_and_behind_in_another_is_behind() -> None:
    assert kinds([row() | {"oplock#audited": OLDER}], [row() | {"oplock#assigned": NEWER}]) == [DifferenceKind.BEHIND]


def test_a_row_that_one_version_lacks_differs() -> None:
    assert kinds([row()], []) == [DifferenceKind.BEHIND]
    assert kinds([], [row()]) == [DifferenceKind.AHEAD]


def test_rows_that_have_expired_and_are_not_deleted_yet_do_not_count() -> None:
    assert differing([row(ttl=NOW // 1000)], [row(ttl=NOW // 1000 - 1, Operator="ANN")]) == Compared(0, 0, ())


def test_the_mark_of_a_row_from_the_lake_does_not_count() -> None:
    assert differing([row()], [row(rebuilt=True)]).differences == ()


def test_a_ttl_counts_if_it_follows_from_the_events() -> None:
    before, after = [row(ttl=NOW)], [row(ttl=NOW + 1)]

    assert differing(before, after).differences == ()
    assert [one.kind for one in differing(before, after, expires=True).differences] == [DifferenceKind.DIFFERENT]


@pytest.mark.parametrize("about_ms", [None, NOW])
@pytest.mark.parametrize("origin", ["", "workshop2"])
@pytest.mark.parametrize("name", ["1", "a#b", "#", "@"])
def test_the_id_of_an_event_is_read_from_its_order(name: str, origin: str, about_ms: int | None) -> None:
    event = DomainEvent(id=name, type="t", timestamp_ms=NOW, partition_key="k", tags={}, entities={})

    assert event_id(event_order(event, about_ms, origin)) == name
