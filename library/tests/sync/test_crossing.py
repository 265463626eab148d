"""An edit of another version of a service becomes the next version of an owned row."""

from collections.abc import Iterator
from typing import Any

import pytest

from andon.dynamodb.attribute_values import to_typed
from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.events.hops import HOPS, MAX_HOPS
from andon.events.latch import LATCHED, ORIGIN
from andon.runtime.errors import Stale
from andon.sync import crossing
from andon.sync.crossing import Edit, edit_of
from andon.testing.log_lines import LogLines
from andon.views.outcome import Outcome
from andon.wire import aws
from toys.pair import TOMBSTONE_TTL
from toys.two_sides import CLOCK_MS, TwoSides


@pytest.fixture(scope="module", params=[False, True], ids=["rows", "histories"])
def of_module(request: pytest.FixtureRequest) -> Iterator[TwoSides]:
    with TwoSides(keeps_history=request.param) as sides:
        yield sides


@pytest.fixture
def sides(of_module: TwoSides) -> TwoSides:
    of_module.clear()
    return of_module


def edited(at: int, text: str = "a/b", *, id: str = "", deleted: bool = False, **tags: str) -> DomainEvent:  # noqa: A002
    said: dict[str, Any] = {"id": "n", "text": text, "mood": "calm"} | ({"deleted": True} if deleted else {})
    kind = "note-deleted" if deleted else "note-updated"
    return DomainEvent(id or f"e{at}", kind, at, "n", {"note": said}, {"actor": "ann", **tags})


def cross(sides: TwoSides, event: DomainEvent) -> Outcome:
    """Bring an edit of the old service to the new one."""
    crossing = sides.new.crossing
    return crossing(event).write(sides.new.table, event, now_ms=CLOCK_MS)


def test_an_edit_is_the_first_version_where_there_was_nothing(sides: TwoSides) -> None:
    assert cross(sides, edited(5)) is Outcome.APPLIED

    row = sides.row(sides.new)
    assert row is not None
    assert row.pop("fingerprint") != row.pop("digest")
    assert row == {
        "pk": "n",
        "sk": "-",
        "discriminator": "page",
        "lines": ["a", "b"],
        "version": 1,
        "since": 1,
        "timestamp": 5,
        "changedBy": "ann",
        ORIGIN: "old",
        LATCHED: True,
        HOPS: 1,
    }


def test_it_reads_nothing_before_it_writes(sides: TwoSides, wire: Any) -> None:  # noqa: ANN401
    cross(sides, edited(5))

    assert wire.operations == ["TransactWriteItems" if sides.new.keeps_history else "PutItem"]


def test_an_edit_upon_an_own_version_is_the_next_one_and_keeps_what_the_other_side_cannot_say(sides: TwoSides) -> None:
    sides.new.put("n", {"lines": ["x"], "colour": "red"}, now_ms=3)

    assert cross(sides, edited(5)) is Outcome.APPLIED

    row = sides.row(sides.new)
    assert row is not None
    assert (row["version"], row["since"], row["lines"], row["colour"]) == (2, 1, ["a", "b"], "red")


def test_the_same_edit_again_is_a_duplicate_and_an_older_one_is_stale(sides: TwoSides) -> None:
    cross(sides, edited(5))
    before = sides.row(sides.new)

    assert cross(sides, edited(5)) is Outcome.DUPLICATE
    assert cross(sides, edited(4)) is Outcome.STALE
    assert sides.row(sides.new) == before


def test_a_command_upon_a_crossed_row_is_later_at_any_clock_and_makes_it_its_own(
    sides: TwoSides,
) -> None:
    cross(sides, edited(50))

    saved = sides.new.put("n", {"lines": ["y"]}, now_ms=7, if_match=1)

    row = sides.row(sides.new)
    assert row is not None
    assert (saved.row["version"], row["version"], row["timestamp"]) == (2, 2, 51)
    assert not {ORIGIN, LATCHED, HOPS} & row.keys()
    assert edit_of(saved.row, own="new") == Edit(51, "new")


def test_a_deletion_crosses_as_a_tombstone_and_an_edit_brings_it_back(sides: TwoSides) -> None:
    sides.new.put("n", {"lines": ["x"], "colour": "red"}, now_ms=3)

    assert cross(sides, edited(5, deleted=True)) is Outcome.APPLIED
    row = sides.row(sides.new)
    assert row is not None
    assert (row["version"], row["deleted"], row["ttl"]) == (2, True, TOMBSTONE_TTL)

    assert cross(sides, edited(7, "back")) is Outcome.APPLIED
    row = sides.row(sides.new)
    assert row is not None
    assert (row["version"], row["since"], row["lines"], row["colour"]) == (3, 3, ["back"], "red")
    assert not {"deleted", "ttl"} & row.keys()


def test_a_deletion_of_what_never_was_here_stands_in_the_way_of_older_edits(sides: TwoSides) -> None:
    assert cross(sides, edited(5, deleted=True)) is Outcome.APPLIED
    assert cross(sides, edited(4)) is Outcome.STALE


def test_what_the_ttl_service_took_is_followed_by_its_newest_revision(sides: TwoSides) -> None:
    cross(sides, edited(5, deleted=True))
    key = to_typed({"pk": "n", "sk": "-"})
    aws.client("dynamodb").delete_item(TableName=sides.new.table.name, Key=key)

    if not sides.new.keeps_history:  # nothing is known of it any more
        assert cross(sides, edited(6)) is Outcome.APPLIED
        return
    assert cross(sides, edited(5, deleted=True)) is Outcome.DUPLICATE
    assert cross(sides, edited(4)) is Outcome.STALE
    assert cross(sides, edited(6)) is Outcome.APPLIED
    row = sides.row(sides.new)
    assert row is not None
    assert (row["version"], row["since"]) == (2, 2)


def test_each_version_is_kept_with_its_origin(sides: TwoSides) -> None:
    if not sides.new.keeps_history:
        return
    sides.new.put("n", {"lines": ["x"]}, now_ms=3)
    cross(sides, edited(5))
    sides.new.put("n", {"lines": ["y"]}, now_ms=6, if_match=2)
    cross(sides, edited(9, deleted=True))

    revisions = sides.revisions(sides.new)
    assert [(row["version"], row["timestamp"], row.get(ORIGIN)) for row in revisions] == [
        (1, 3, None),
        (2, 5, "old"),
        (3, 6, None),
        (4, 9, "old"),
    ]
    assert not any({LATCHED, HOPS} & row.keys() for row in revisions)


def test_a_retry_of_a_command_that_was_overtaken_is_answered_from_its_revision(sides: TwoSides) -> None:
    sides.new.put("n", {"lines": ["x"]}, now_ms=3)
    first = sides.new.put("n", {"lines": ["y"]}, now_ms=4, if_match=1)
    cross(sides, edited(9))

    if sides.new.keeps_history:
        assert sides.new.put("n", {"lines": ["y"]}, now_ms=20, if_match=1).row["version"] == first.row["version"]
    else:
        with pytest.raises(Stale):
            sides.new.put("n", {"lines": ["y"]}, now_ms=20, if_match=1)


def test_an_edit_whose_row_has_expired_is_dropped(sides: TwoSides, monkeypatch: pytest.MonkeyPatch) -> None:
    expired = {"discriminator": "page", "ttl": CLOCK_MS // 1000}
    monkeypatch.setattr(type(sides.new), "mark", lambda *_, **__: expired)

    assert cross(sides, edited(5)) is Outcome.EXPIRED
    assert sides.row(sides.new) is None
    assert cross(sides, edited(6, deleted=True)) is Outcome.APPLIED  # older edits must find it


def test_what_the_mapping_cannot_say_is_a_fault_and_not_tried_again(sides: TwoSides, log_lines: LogLines) -> None:
    event = edited(5)._replace(entities={"note": {"id": "n"}})

    assert sides.listen(sides.new, [to_message(event, source="old")]) == []
    assert log_lines[-1]["fault"] == 1
    assert sides.row(sides.new) is None


def test_an_event_after_too_many_others_is_a_fault_and_writes_nothing(sides: TwoSides, log_lines: LogLines) -> None:
    few, many = (edited(5, hops=str(hops)) for hops in (MAX_HOPS, MAX_HOPS + 1))

    assert sides.listen(sides.new, [to_message(many, source="old")]) == []
    assert log_lines[-1]["fault"] == 1
    assert sides.row(sides.new) is None

    sides.listen(sides.new, [to_message(few, source="old")])
    row = sides.row(sides.new)
    assert row is not None
    assert row[HOPS] == MAX_HOPS + 1


def test_the_name_of_before_still_works_and_says_its_successor() -> None:
    with pytest.deprecated_call(match="now EditedRow"):
        assert crossing.Content is crossing.EditedRow  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="has no attribute 'Contents'"):
        crossing.Contents  # type: ignore[attr-defined]  # noqa: B018
