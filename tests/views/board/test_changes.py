"""Changes of a row that are pushed to screens: exactly those that a person would see in the list."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from andon.dynamodb.attribute_values import Item, to_plain
from andon.events.domain_event import DomainEvent
from andon.live.push import ScreenMessage
from andon.testing.memory.aws import OneTable
from contract.levels import LEVELS
from demo.people import ANN, LIZ
from tests.support.samples import NOW, fact
from tests.support.screen import Screen, as_pushed
from tests.views.board.stories import EVERYTHING, MINUTES, acknowledgement, assignment, audit, metadata, state
from views.board.changes import messages_of
from views.board.standing import to_response
from views.board.version import version_of
from views.board.view import KEYS, ON, TABLE

HERE = ("Acme", "MX", "JAL", "Guadalajara", "G", "North", "Centro")
THERE = (*HERE[:-1], "Centro Sur")

Pair = tuple[Item | None, Item | None]


@pytest.fixture(scope="module")
def table() -> Iterator[OneTable]:
    with OneTable("BOARD_TABLE", KEYS) as table:
        yield table


def at(path: Sequence[str]) -> dict[str, str]:
    return dict(zip(("company", *LEVELS), path, strict=True))


def registered(number: int, path: Sequence[str], kind: str = "updated") -> DomainEvent:
    return metadata(kind, 1000 * number, f"m{number}", location=at(path))


def changes(table: OneTable, events: Sequence[DomainEvent]) -> list[Pair]:
    """Return the images before and after each change of the row."""
    table.clear()
    for event in events:
        ON[event.tags["source"], event.type](event).write(TABLE, event, ttl_days=None, now_ms=NOW)
    records = [record["dynamodb"] for record in table.new_records()]
    return [
        (to_plain(images["OldImage"]) if "OldImage" in images else None, to_plain(images["NewImage"]))
        for images in records
    ]


def last(table: OneTable, *events: DomainEvent) -> list[ScreenMessage]:
    return [*messages_of(*changes(table, events)[-1])]


def test_every_message_is_the_item_that_the_list_has_then(table: OneTable) -> None:
    for old, new in changes(table, [registered(1, HERE, "created"), *EVERYTHING]):
        for message in messages_of(old, new):
            assert message.body in (to_response(new), {**gone(new), "version": message.body["version"]})  # type: ignore[arg-type]


def gone(row: Item | None) -> dict[str, Any]:
    assert row
    return {"equipmentId": row["EquipmentID"], "version": version_of(row), "gone": True}


def test_equipment_that_appears_is_told_to_its_place(table: OneTable) -> None:
    (message,) = last(table, registered(1, HERE, "created"))

    assert message.path == HERE
    assert message.body["name"]


def test_what_nobody_registered_is_told_to_nobody_until_it_is(table: OneTable) -> None:
    assert last(table, state("ERROR", 1, "s1")) == []
    (message,) = last(table, state("ERROR", 1, "s1"), registered(1, HERE, "created"))
    assert message.body["state"] == "ERROR"


def test_what_was_deleted_is_gone_from_its_place_and_comes_back_to_it(table: OneTable) -> None:
    created, deleted, undeleted = (
        registered(number, HERE, kind) for number, kind in enumerate(("created", "deleted", "undeleted"))
    )

    (left,) = last(table, created, deleted)
    (back,) = last(table, created, deleted, undeleted)

    assert (left.path, left.body) == (HERE, gone(changes(table, [created, deleted])[-1][1]))
    assert (back.path, "gone" in back.body) == (HERE, False)
    assert back.body["version"] > left.body["version"]


def test_what_happens_to_deleted_equipment_is_told_to_nobody(table: OneTable) -> None:
    assert last(table, registered(1, HERE, "created"), registered(2, HERE, "deleted"), state("ERROR", 1, "s")) == []


def test_what_moved_is_gone_from_its_old_place_and_an_older_tombstone_never_hides_it(table: OneTable) -> None:
    pairs = changes(table, [registered(1, HERE, "created"), registered(2, THERE)])

    left, stands = messages_of(*pairs[-1])

    assert (left.path, stands.path) == (HERE, THERE)
    assert version_of(pairs[0][1] or {}) <= left.body["version"] < stands.body["version"]


def test_a_row_that_somebody_removed_is_gone(table: OneTable) -> None:
    (_, row), *_ = changes(table, [registered(1, HERE, "created")])

    (message,) = messages_of(row, None)

    assert (message.path, message.body) == (HERE, gone(row))


def test_a_skeleton_that_expired_is_told_to_nobody(table: OneTable) -> None:
    (_, row), *_ = changes(table, [state("ERROR", 1, "s")])

    assert row
    assert "ttl" in row
    assert [*messages_of(row, None)] == []


@pytest.mark.parametrize(
    ("news", "told"),
    [
        (state("NORMAL", 9, "s9"), False),  # most reports
        (state("ERROR", 9, "s9"), True),
        (state("ERROR", 0, "s0"), True),  # since when is known better
        (audit("hydraulics", 9, "a9"), True),
        (assignment(LIZ, 9, "o9", log=1), False),  # nothing is wrong
    ],
    ids=["NORMAL again", "ERROR", "an older ERROR", "an audit", "assigned without trouble"],
)
def test_only_what_a_person_would_see_is_told(table: OneTable, news: DomainEvent, *, told: bool) -> None:
    before = [registered(1, HERE, "created"), state("NORMAL", 1, "s1")]

    assert bool(last(table, *before, news)) == told


def test_a_repeated_report_of_trouble_is_told_for_people_act_upon_the_newest_log(table: OneTable) -> None:
    (message,) = last(table, registered(1, HERE, "created"), state("ERROR", 1, "s1"), state("ERROR", 2, "s2"))

    assert message.body["stateTimestamp"] == MINUTES[2]


def test_rows_and_events_of_before_go_on_without_lines(table: OneTable) -> None:
    location = at(HERE)
    old = fact("equipment-created", location=location, factoryId=None, lineId=None)
    seen = fact("state-acknowledged", equipmentId=old.entity("equipment").text("id"))
    report = fact("state-reported", equipmentId=old.entity("equipment").text("id"), state="WARNING1")

    body = last(table, old, report, seen)[-1].body

    assert (body["factoryId"], body["lineId"]) == (None, None)
    assert body["acknowledgedBy"]


STORY = [
    registered(1, HERE, "created"),
    state("NORMAL", 1, "s1"),
    state("ERROR", 2, "s2"),
    assignment(LIZ, 3, "o1", log=2),
    registered(2, THERE),
    state("ERROR", 4, "s3"),
    acknowledgement(ANN, 5, "k1", log=4),
    registered(3, HERE),
    registered(4, HERE, "deleted"),
    state("NORMAL", 6, "s4"),
    registered(5, HERE, "undeleted"),
    state("NORMAL", 8, "s5"),
    registered(6, THERE),
    state("WARNING1", 9, "s6"),
]


@pytest.mark.parametrize("length", range(1, len(STORY) + 1))
def test_screens_show_what_the_list_says_whatever_becomes_of_messages_on_the_way(table: OneTable, length: int) -> None:
    chance = random.Random(length)  # noqa: S311  no secret
    for _ in range(100):
        events = chance.sample(STORY[:length], length)
        pairs = changes(table, events)
        folded = [_joined(pairs)] if chance.random() < 0.2 else pairs
        messages = [message for pair in folded for message in messages_of(*pair)]
        shuffled = chance.sample([*messages, *messages], 2 * len(messages))
        (row,) = table.rows()
        for place in (HERE[:1], HERE, THERE):
            screen = Screen().take(one.body for one in shuffled if one.path[: len(place)] == place)
            assert screen.shown == _listed(row, place), [event.id for event in events]


def _joined(pairs: Sequence[Pair]) -> Pair:
    return pairs[0][0], pairs[-1][1]


def _listed(row: Item, place: Sequence[str]) -> dict[str, Any]:
    """Return a row in the list of a place."""
    item: Any = to_response(row)  # type: ignore[arg-type]
    path = tuple(item["location"].values()) if item["location"] else ()
    return {item["equipmentId"]: as_pushed(item)} if path and path[: len(place)] == tuple(place) else {}
