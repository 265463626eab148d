"""Revisions that a trigger keeps of a batch of its table's stream."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

import pytest

from andon.dynamodb.attribute_values import Item, to_typed
from andon.dynamodb.client import Table
from andon.dynamodb.expressions import Condition
from andon.events.latch import LATCHED
from andon.testing.wire import Wire
from andon.versions import from_stream
from andon.versions.from_stream import keep_revisions
from andon.versions.numbered_versions import Numbered, keep, revision_of, save_current
from andon.versions.versioned_write import KeptRevisions
from toys.archive import CURRENT, Archive
from toys.clock import NOW
from toys.things import painting

KIND: Final = "thing"
THERE: Final = Condition("attribute_exists(#pk)", {"pk": "pk"})

_names = count(1)


@pytest.fixture(scope="module", autouse=True)
def archive() -> Iterator[Archive]:
    with Archive() as archive:
        yield archive


@pytest.fixture
def thing() -> Numbered[Any]:
    mark = {"discriminator": "thing-revision"}
    return Numbered(table=CURRENT, partition=f"Kept#{next(_names)}", name="Thing", apart=True, attributes=mark)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What was published meanwhile: the errors in the faults."""
    told: list[dict[str, Any]] = []

    def publish(events: Any, *, source: str) -> None:  # noqa: ANN401
        told.extend({"source": source, **event.entities["fault"]["error"]} for event in events)

    monkeypatch.setattr(from_stream, "publish", publish)
    return told


def kept_of(thing: Numbered[Any]) -> KeptRevisions:
    def kept(row: Item) -> tuple[Table, Item]:
        return CURRENT, revision_of(thing, row)

    return {KIND: kept}


def record(row: Item) -> Any:  # noqa: ANN401  a record of a stream
    return {"eventName": "MODIFY", "dynamodb": {"NewImage": to_typed(row)}}


def painted(thing: Numbered[Any], *colours: str) -> list[Item]:
    """Paint it once and again; return the current row as it was each time."""
    rows = []
    for version, colour in enumerate(colours):
        draft = painting("it", colour, if_match=version or None, now_ms=NOW + version)
        save_current(thing, draft._replace(attributes={"discriminator": KIND}))
        rows.append(CURRENT.get(thing.current_key(), consistent=True) or {})
    return rows


def history(thing: Numbered[Any]) -> list[str]:
    return [row["colour"] for row in CURRENT.query(thing.history(), limit=9).items]


def test_each_version_is_kept_whatever_the_order_and_twice(thing: Numbered[Any], faults: list[Any]) -> None:
    rows = painted(thing, "red", "green", "blue")

    for some in ([rows[2], rows[0], rows[2]], [rows[1], rows[0]]):
        keep_revisions(map(record, some), kept_of(thing), source="toys")

    assert history(thing) == ["blue", "green", "red"]
    assert ["since" in row for row in CURRENT.query(thing.history(), limit=9).items] == [False, False, True]
    assert faults == []


def test_rows_of_other_kinds_and_what_was_removed_cost_nothing(thing: Numbered[Any], faults: list[Any]) -> None:
    [row] = painted(thing, "red")
    others = [record({**row, "discriminator": "other"}), record(revision_of(thing, row)), record({"pk": "x"})]
    removed = {"eventName": "REMOVE", "dynamodb": {"OldImage": to_typed(row)}}

    with Wire() as wire:
        keep_revisions([*others, removed], kept_of(thing), source="toys")  # type: ignore[list-item]

    assert (wire.operations, faults, history(thing)) == ([], [], [])


@pytest.mark.parametrize("image", ["?", None, {"discriminator": "?"}, {"discriminator": {"S": ["?"]}}])
def test_a_row_that_nobody_can_read_is_left_to_who_publishes(thing: Numbered[Any], image: object) -> None:
    [row] = painted(thing, "red")
    unreadable: Any = {"eventName": "MODIFY", "dynamodb": {"NewImage": image}}

    keep_revisions([unreadable, record(row)], kept_of(thing), source="toys")

    assert history(thing) == ["red"]


def test_who_brings_a_row_back_keeps_its_revision(thing: Numbered[Any], faults: list[Any]) -> None:
    [row] = painted(thing, "red")

    keep_revisions([record({**row, LATCHED: True})], kept_of(thing), source="toys")

    assert (history(thing), faults) == ([], [])


def test_what_was_erased_in_a_revision_does_not_come_back_with_a_record_and_is_no_fault(
    thing: Numbered[Any], faults: list[Any]
) -> None:
    [row] = painted(thing, "Ana")
    keep(thing, row)
    CURRENT.put({**revision_of(thing, row), "colour": "op-17", "fingerprint": "erased"}, condition=THERE)

    keep_revisions([record(row)], kept_of(thing), source="toys")

    assert (history(thing), faults) == (["op-17"], [])


def test_what_cannot_be_kept_is_a_fault_and_its_neighbours_are_kept(thing: Numbered[Any], faults: list[Any]) -> None:
    first, second = painted(thing, "red", "green")
    unreadable = {name: value for name, value in second.items() if name != "latest"}
    another = {**first, "colour": "black", "timestamp": NOW + 7}
    keep(thing, first)

    left = keep_revisions(map(record, [another, unreadable, second]), kept_of(thing), source="toys")

    assert history(thing) == ["green", "red"]
    assert [(one["source"], one["name"]) for one in faults] == [("toys", "Poison"), ("toys", "KeyError")]
    assert left == [record(another), record(second)]  # a fault is all that the unreadable one is
