"""A piece of equipment is registered, deleted, registered again: one history, whatever the TTL service took."""

from collections.abc import Callable

import pytest

from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from services.equipment import metadata
from services.equipment.tables import TABLE
from tests.support.samples import NOW
from tests.support.services.versions import audit, delete, get, put, reap, roll_back, told, versions

DAY_MS = SECONDS_PER_DAY * 1000

Since = Callable[[str], None]


def nothing(_: str) -> None:
    """Leave the tombstone where it is."""


TOMBSTONES = pytest.mark.parametrize("since", [nothing, reap], ids=["tombstone", "tombstone taken by the TTL service"])


def retired(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)
    delete(loop, equipment_id, if_match=1)


@TOMBSTONES
@pytest.mark.parametrize("if_match", [None, 2])
def test_a_put_recreates_and_goes_on_from_the_highest_version_with_a_later_time(
    loop: Loop, equipment_id: str, since: Since, if_match: int | None
) -> None:
    retired(loop, equipment_id)
    since(equipment_id)

    with frozen_clock(NOW - DAY_MS):
        answer = put(loop, equipment_id, "again", if_match=if_match)

    assert (answer.status, answer.headers["etag"], answer.body["version"]) == (201, '"3"', 3)
    stamps = [one["changedAt"] for one in versions(loop, equipment_id)]
    assert stamps == sorted(set(stamps), reverse=True)
    assert len(stamps) == 3
    assert get(loop, equipment_id).body == answer.body


@TOMBSTONES
@pytest.mark.parametrize("if_match", [1, 3])
def test_a_put_by_another_version_than_the_tombstones_is_stale(
    loop: Loop, equipment_id: str, since: Since, if_match: int
) -> None:
    retired(loop, equipment_id)
    since(equipment_id)

    assert put(loop, equipment_id, "again", if_match=if_match).status == 412
    assert len(versions(loop, equipment_id)) == 2


@TOMBSTONES
def test_what_was_deleted_is_not_found(loop: Loop, equipment_id: str, since: Since) -> None:
    retired(loop, equipment_id)
    since(equipment_id)

    assert get(loop, equipment_id).status == 404
    assert delete(loop, equipment_id).status == 404
    assert delete(loop, equipment_id, if_match=2).status == 404
    assert roll_back(loop, equipment_id, 1).status == 404
    assert roll_back(loop, equipment_id, 1, if_match=2).status == 404
    assert roll_back(loop, equipment_id, 1, if_match=7).status == 404
    assert audit(loop, equipment_id).status == 404
    assert len(versions(loop, equipment_id)) == 2


def test_a_tombstone_that_has_expired_and_still_stands_is_a_tombstone(loop: Loop, equipment_id: str) -> None:
    retired(loop, equipment_id)
    told(loop, equipment_id)

    with frozen_clock(NOW + 40 * DAY_MS):
        assert get(loop, equipment_id).status == 404
        assert delete(loop, equipment_id, if_match=2).status == 404
        assert put(loop, equipment_id, "again", if_match=1).status == 412
        answer = put(loop, equipment_id, "again")

    assert (answer.status, answer.body["version"]) == (201, 3)
    assert told(loop, equipment_id) == ["equipment-undeleted 3"]


@pytest.mark.parametrize("clock", [NOW + 5, NOW, NOW - DAY_MS], ids=["later", "same", "behind"])
def test_a_tombstone_expires_33_days_behind_its_own_time(loop: Loop, equipment_id: str, clock: int) -> None:
    put(loop, equipment_id)

    with frozen_clock(clock):
        delete(loop, equipment_id, if_match=1)

    row = TABLE.get(metadata.key_of(equipment_id))
    assert row is not None
    assert row["timestamp"] == max(clock, NOW + 1)
    assert row["ttl"] == row["timestamp"] // 1000 + 33 * SECONDS_PER_DAY


def test_an_undeleted_row_has_neither_a_ttl_nor_a_mark(loop: Loop, equipment_id: str) -> None:
    retired(loop, equipment_id)
    marked = TABLE.get(metadata.key_of(equipment_id))

    put(loop, equipment_id, "again")

    row = TABLE.get(metadata.key_of(equipment_id))
    assert marked is not None
    assert {"ttl", "deleted"} <= marked.keys()
    assert row is not None
    assert not {"ttl", "deleted"} & row.keys()


def test_a_rollback_checks_what_stands_there_then_what_it_goes_back_to(loop: Loop, equipment_id: str) -> None:
    assert roll_back(loop, equipment_id, 1, if_match=1).status == 404
    retired(loop, equipment_id)
    put(loop, equipment_id, "again")

    assert roll_back(loop, equipment_id, 1).status == 428
    assert roll_back(loop, equipment_id, 9, if_match=2).status == 412
    assert roll_back(loop, equipment_id, 9, if_match=3).status == 404
    assert roll_back(loop, equipment_id, 2, if_match=3).status == 409
    assert get(loop, equipment_id).body["version"] == 3


def test_a_rollback_is_a_new_version_equal_to_the_old_one(loop: Loop, equipment_id: str) -> None:
    created = put(loop, equipment_id, subject="Liz")
    put(loop, equipment_id, "another", if_match=1)
    before = versions(loop, equipment_id)

    answer = roll_back(loop, equipment_id, 1, if_match=2, subject="Sue")

    assert (answer.status, answer.headers["etag"]) == (200, '"3"')
    changed = {"version": 3, "changedAt": times.to_utc(NOW + 2), "changedBy": "Sue"}
    assert answer.body == created.body | changed
    assert versions(loop, equipment_id) == [answer.body, *before]


def test_a_rollback_to_the_current_version_is_a_version_too(loop: Loop, equipment_id: str) -> None:
    put(loop, equipment_id)

    answer = roll_back(loop, equipment_id, 1, if_match=1)

    assert (answer.status, answer.body["version"]) == (200, 2)


def test_each_version_says_who_made_it_and_when_and_stays_as_it_was(loop: Loop, equipment_id: str) -> None:
    def at(ms: int, do: Callable[[], Answer]) -> Answer:
        with frozen_clock(NOW + ms):
            return do()

    created = at(0, lambda: put(loop, equipment_id, subject="Liz"))
    changed = at(1000, lambda: put(loop, equipment_id, "another", if_match=1, subject="Sue"))
    at(2000, lambda: delete(loop, equipment_id, if_match=2, subject="Ann"))

    tombstone = changed.body | {
        "version": 3,
        "changedAt": times.to_utc(NOW + 2000),
        "changedBy": "Ann",
        "deleted": True,
    }
    assert versions(loop, equipment_id) == [tombstone, changed.body, created.body]
    assert (created.body["changedBy"], changed.body["changedBy"]) == ("Liz", "Sue")
    assert changed.body["changedAt"] == times.to_utc(NOW + 1000)
