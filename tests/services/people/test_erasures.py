"""An erasure: the name is gone at once and for good, the id stays erased, and others hear of it once."""

import json
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from andon.dynamodb.expressions import UNCONDITIONAL
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, calls_of
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.wire import Wire
from andon.versions.persons import ERASURES
from services.people.resources import PEOPLE
from tests.support.samples import NOW
from tests.support.services.people import NAME, erase, erased_in, find, get, of_factory, put

FENCE = {"id", "version", "since", "timestamp", "changedBy", "deleted", "pk"}


@pytest.fixture
def loop() -> Iterator[Loop]:
    """Everything, empty."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop


def rename(loop: Loop, person_id: str, version: int) -> None:
    """Give a person yet another name, by the version that was read."""
    put(loop, person_id, f"{NAME} {version}", if_match=version)


def is_forgotten(loop: Loop, person_id: str) -> bool:
    """Return True if a person is a fence and an erasure of the same time, and nothing is left of the name."""
    row, erasure = PEOPLE.table.get(PEOPLE.key_of(person_id)), ERASURES.get({"id": person_id})
    said = json.dumps([loop.rows(table) for table in loop.schemas], default=str, ensure_ascii=False)
    stamped = row is not None and erasure is not None and row["timestamp"] == erasure["timestamp"]
    return stamped and row is not None and row.keys() == FENCE and NAME not in said


def test_an_erasure_leaves_a_fence_and_is_published_once_however_often_it_is_asked_for(
    loop: Loop, person_id: str
) -> None:
    put(loop, person_id)

    with frozen_clock(NOW + 1):
        first, again = erase(loop, person_id, subject="a"), erase(loop, person_id, subject="b")

    assert (first.status, first.body, again.status) == (204, None, 204)
    assert is_forgotten(loop, person_id)
    assert get(loop, person_id).body == {"id": person_id, "erased": True}
    assert find(loop, person_id) == [{"id": person_id, "erased": True}]
    assert of_factory(loop, "gdl-1") == []
    placed, envelope = loop.run()
    assert placed["detail-type"] == "person-placed"
    assert not [row for row in loop.rows("ERASURES_TABLE") if "factoryId" in row]
    assert (envelope["source"], envelope["detail-type"]) == ("people", "person-erased")
    assert envelope["detail"]["person"] == {"id": person_id, "erasedAt": "2020-04-28T00:00:00.001Z"}
    assert envelope["detail"]["tags"]["actor"] == "a"
    assert NAME not in json.dumps(envelope, ensure_ascii=False)


def test_nothing_but_places_and_erasures_is_ever_published(loop: Loop, person_id: str) -> None:
    put(loop, person_id)
    placed = loop.run()
    with frozen_clock(NOW + 1):
        rename(loop, person_id, 1)
    placed += loop.run()

    assert [one["detail-type"] for one in placed] == ["person-placed"] * 2
    assert [one["detail"]["placement"] for one in placed] == [{"id": person_id, "factoryId": "gdl-1"}] * 2
    assert NAME not in json.dumps(placed, ensure_ascii=False)


def test_who_was_written_down_before_there_were_placements_is_placed_by_the_same_again(
    loop: Loop, person_id: str
) -> None:
    put(loop, person_id)
    before = {"digest": "of before"}
    PEOPLE.table.update(PEOPLE.key_of(person_id), assign=before, remove=("placed",), condition=UNCONDITIONAL)
    ERASURES.delete({"id": f"Placed#{person_id}"})
    loop.run()

    assert put(loop, person_id, if_match=1, subject="another").status == 200
    assert [one["detail-type"] for one in loop.run()] == ["person-placed"]


def test_an_erased_id_is_not_given_to_anybody_again(loop: Loop, person_id: str) -> None:
    put(loop, person_id)
    erase(loop, person_id)

    for if_match in (None, 1, 2, 3):
        assert put(loop, person_id, "Another", if_match=if_match).status == 409
    assert is_forgotten(loop, person_id)


def test_an_id_without_a_name_is_erased_too(loop: Loop, person_id: str) -> None:
    assert erase(loop, person_id).status == 204

    assert is_forgotten(loop, person_id)
    assert put(loop, person_id).status == 409
    assert erased_in(loop) == [person_id]


@pytest.mark.parametrize("renames", [0, 1, 2, 3])
def test_an_erasure_wins_over_renames_that_come_while_it_is_made(
    loop: Loop, person_id: str, wire: Wire, renames: int
) -> None:
    put(loop, person_id)
    versions, renaming = iter(range(1, renames + 1)), False

    def rename_once() -> None:
        nonlocal renaming
        if not renaming and (version := next(versions, None)) is not None:
            renaming = True  # it is a transaction, too
            with frozen_clock(NOW + version):
                rename(loop, person_id, version)
            renaming = False

    wire.before("TransactWriteItems", rename_once, times=2 * renames)

    assert erase(loop, person_id).status == 204
    assert is_forgotten(loop, person_id)
    fence = PEOPLE.table.get(PEOPLE.key_of(person_id)) or {}
    assert fence["version"] == renames + 2
    assert fence["timestamp"] > NOW + renames
    assert put(loop, person_id, if_match=renames + 1).status == 409
    assert erased_in(loop) == [person_id]


@pytest.mark.parametrize("known", [True, False], ids=["somebody known", "nobody known"])
def test_two_erasures_at_once_are_one(loop: Loop, person_id: str, wire: Wire, *, known: bool) -> None:
    if known:
        put(loop, person_id)
    wire.before("TransactWriteItems", lambda: erase(loop, person_id), times=1)

    assert erase(loop, person_id).status == 204
    assert is_forgotten(loop, person_id)
    assert erased_in(loop) == [person_id]


def test_a_name_that_comes_before_the_erasure_of_nobody_is_erased(loop: Loop, person_id: str, wire: Wire) -> None:
    wire.before("TransactWriteItems", lambda: put(loop, person_id), times=1)

    assert erase(loop, person_id).status == 204
    assert is_forgotten(loop, person_id)


def test_others_who_write_at_the_same_time_are_waited_for(
    loop: Loop, person_id: str, wire: Wire, pauses: list[float]
) -> None:
    put(loop, person_id)
    wire.cancel(["TransactionConflict", "None", "None"], times=2)

    assert erase(loop, person_id).status == 204
    assert len(pauses) == 2
    assert is_forgotten(loop, person_id)


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_an_erasure_that_is_broken_at_any_call_is_done_wholly_or_not_and_a_retry_leaves_it_done_once(
    loop: Loop, interruption: Interruption
) -> None:
    def run(breaking: Breaking) -> str:
        person_id = f"op-{9000 + breaking.number}"
        put(loop, person_id)
        breaking.interrupt(partial(erase, loop, person_id))
        return person_id

    broken = 0
    for breaking, person_id in broken_at_every_call(interruption, run):
        halfway = (get(loop, person_id).body.get("erased", False), ERASURES.get({"id": person_id}) is not None)
        assert halfway in {(False, False), (True, True)}, breaking
        assert erase(loop, person_id).status == 204, breaking
        assert erase(loop, person_id).status == 204, breaking
        assert get(loop, person_id).body == {"id": person_id, "erased": True}, breaking
        assert erased_in(loop) == [person_id], breaking
        broken += 1
    assert broken == 2  # the read, and the transaction


def test_an_erasure_is_a_read_and_a_transaction(loop: Loop, person_id: str) -> None:
    put(loop, person_id)

    assert calls_of(lambda: erase(loop, person_id)) == ["GetItem", "TransactWriteItems"]


Lose = Callable[[str], object]
LOST: dict[str, Lose] = {
    "the people table was restored to before it": lambda person_id: PEOPLE.table.delete(PEOPLE.key_of(person_id)),
    "the table of erasures was restored to before it": lambda person_id: ERASURES.delete({"id": person_id}),
}


@pytest.mark.parametrize("lose", list(LOST.values()), ids=list(LOST))
def test_after_a_restored_backup_to_erase_again_leaves_both_again(loop: Loop, person_id: str, lose: Lose) -> None:
    put(loop, person_id)
    erase(loop, person_id)
    first = ERASURES.get({"id": person_id})
    lose(person_id)
    if get(loop, person_id).status == 404:
        put(loop, person_id)  # as the backup had it

    with frozen_clock(NOW + 5):
        assert erase(loop, person_id).status == 204

    assert is_forgotten(loop, person_id)
    assert ERASURES.get({"id": person_id}) == first


@pytest.mark.parametrize("group", ["operator", "supervisor", "auditor", "analyst", "device", "gateway"])
def test_who_is_not_there_for_privacy_erases_nobody(loop: Loop, person_id: str, group: str) -> None:
    put(loop, person_id)

    assert loop.request("DELETE /people/{id}", path={"id": person_id}, groups=[group]).status == 403
    assert get(loop, person_id).body["name"] == NAME
