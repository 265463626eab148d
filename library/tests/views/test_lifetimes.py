"""A row's lifetime, where two writers meet, where rows have dates, and where a rebuild brings them back."""

from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.dynamodb import ttl
from andon.events.domain_event import DomainEvent
from andon.testing.crash_points import intruding
from andon.testing.memory.aws import OneTable
from andon.views.inverse_oplock import put_if_newer, rebuild, rehydrate
from andon.views.oplocked_fields import OplockedFields
from andon.views.outcome import Outcome
from andon.views.row_life import REBUILT
from toys.clock import NOW
from toys.things import KEYS, TABLE, TTL_DAYS, VARIABLE, happened

DAY: Final = ttl.SECONDS_PER_DAY
S: Final = NOW // 1000

Written = tuple[OplockedFields, DomainEvent]


@pytest.fixture(name="memory")
def memory_of_test() -> Iterator[OneTable]:
    with OneTable(VARIABLE, KEYS) as memory:
        yield memory


def lent(by: str, at: int, *, days: float | None, oplock: str = "loan") -> Written:
    """Return the update of a loan that ends so many days after now, None: it has no end."""
    date = None if days is None else S + int(days * DAY)
    update = OplockedFields(key={"pk": "saw", "sk": "-"}, fields={oplock: by}, oplock=oplock, expires_at=date)
    return update, happened("lent", "saw", at=at, id=by, by=by)


def row_of(memory: OneTable) -> dict[str, Any]:
    (row,) = memory.rows()
    return row


@pytest.mark.parametrize("write", [put_if_newer, rebuild])
def test_a_ttl_that_somebody_raised_meanwhile_does_not_move_backwards(memory: OneTable, write: Any) -> None:  # noqa: ANN401
    write(TABLE, *lent("l2", NOW + 1, days=50), ttl_days=TTL_DAYS, now_ms=NOW)
    with intruding(2, lambda: write(TABLE, *lent("l1b", NOW - 1, days=90), ttl_days=TTL_DAYS, now_ms=NOW)):
        write(TABLE, *lent("l1", NOW, days=70), ttl_days=TTL_DAYS, now_ms=NOW)

    assert row_of(memory)[ttl.ATTRIBUTE] == S + 90 * DAY


@pytest.mark.parametrize("write", [put_if_newer, rebuild])
def test_a_row_that_went_and_began_anew_with_something_older_takes_what_is_newer(memory: OneTable, write: Any) -> None:  # noqa: ANN401
    """The row that refused the event is not there any more when its ttl is to be raised."""
    write(TABLE, *lent("l3", NOW + 2, days=50), ttl_days=TTL_DAYS, now_ms=NOW)

    def begin_anew() -> None:
        memory.table.clear()
        write(TABLE, *lent("l1", NOW, days=40), ttl_days=TTL_DAYS, now_ms=NOW)

    with intruding(2, begin_anew):
        write(TABLE, *lent("l2", NOW + 1, days=70), ttl_days=TTL_DAYS, now_ms=NOW)

    assert (row_of(memory)["loan"], row_of(memory)[ttl.ATTRIBUTE]) == ("l2", S + 70 * DAY)


def test_a_row_that_began_anew_meanwhile_and_has_just_expired_is_replaced_not_kept(memory: OneTable) -> None:
    just_now = NOW + TTL_DAYS * DAY * 1000
    put_if_newer(TABLE, *lent("l2", NOW, days=50), ttl_days=TTL_DAYS, now_ms=NOW)

    def begin_anew() -> None:
        memory.table.clear()
        rebuild(TABLE, *lent("l3", NOW, days=None), ttl_days=TTL_DAYS, now_ms=NOW)

    with intruding(2, begin_anew):
        rehydrate(TABLE, *lent("l1", NOW - 1, days=None), until=S + 60 * DAY, now_ms=just_now)

    assert (row_of(memory)["loan"], row_of(memory)[ttl.ATTRIBUTE]) == ("l1", S + 60 * DAY)


def test_a_rebuilt_row_whose_later_date_has_passed_too_stays_marked(memory: OneTable) -> None:
    rebuild(TABLE, *lent("l2", NOW - 100 * DAY * 1000 + 1, days=-50), ttl_days=TTL_DAYS, now_ms=NOW)
    assert row_of(memory)[REBUILT]

    rebuild(TABLE, *lent("l1", NOW - 100 * DAY * 1000, days=-40), ttl_days=TTL_DAYS, now_ms=NOW)

    assert (row_of(memory).get(REBUILT), row_of(memory)[ttl.ATTRIBUTE]) == (True, S - 40 * DAY)


def test_a_rebuilt_row_that_lives_again_by_an_older_date_loses_its_mark(memory: OneTable) -> None:
    rebuild(TABLE, *lent("l2", NOW - 100 * DAY * 1000 + 1, days=-50), ttl_days=TTL_DAYS, now_ms=NOW)
    rebuild(TABLE, *lent("l1", NOW - 100 * DAY * 1000, days=40), ttl_days=TTL_DAYS, now_ms=NOW)

    assert (row_of(memory).get(REBUILT), row_of(memory)[ttl.ATTRIBUTE]) == (None, S + 40 * DAY)


def test_a_rebuilt_row_of_a_view_without_an_end_has_none(memory: OneTable) -> None:
    assert rebuild(TABLE, *lent("l1", NOW, days=None), ttl_days=None, now_ms=NOW) is Outcome.APPLIED

    row = row_of(memory)
    assert (row["loan"], row.get(ttl.ATTRIBUTE), row.get(REBUILT)) == ("l1", None, None)


def test_what_is_newer_replaces_all_of_a_row_that_has_expired_where_rows_have_dates(memory: OneTable) -> None:
    put_if_newer(TABLE, *lent("p1", NOW, days=None, oplock="paint"), ttl_days=TTL_DAYS, now_ms=NOW)
    put_if_newer(TABLE, *lent("l1", NOW, days=1), ttl_days=TTL_DAYS, now_ms=NOW)
    later = NOW + (TTL_DAYS + 1) * DAY * 1000

    put_if_newer(TABLE, *lent("l2", later, days=TTL_DAYS + 9), ttl_days=TTL_DAYS, now_ms=later)

    assert (row_of(memory)["loan"], row_of(memory).get("paint")) == ("l2", None)


def test_what_is_brought_back_lives_until_its_date_if_that_is_later(memory: OneTable) -> None:
    rehydrate(TABLE, *lent("l1", NOW, days=60), until=S + 7 * DAY, now_ms=NOW)

    assert (row_of(memory)[ttl.ATTRIBUTE], row_of(memory)[ttl.DATE]) == (S + 60 * DAY, S + 60 * DAY)

    memory.table.clear()
    rehydrate(TABLE, *lent("l1", NOW, days=3), until=S + 7 * DAY, now_ms=NOW)

    assert row_of(memory)[ttl.ATTRIBUTE] == S + 7 * DAY


def test_a_replay_that_only_keeps_a_row_longer_has_changed_it(memory: OneTable) -> None:
    put_if_newer(TABLE, *lent("l2", NOW, days=None), ttl_days=TTL_DAYS, now_ms=NOW)
    older, until = lent("l1", NOW - 1, days=None), S + 20 * DAY

    assert rehydrate(TABLE, *older, until=until, now_ms=NOW) is Outcome.APPLIED
    assert rehydrate(TABLE, *older, until=until, now_ms=NOW) is Outcome.STALE
    assert (row_of(memory)["loan"], row_of(memory)[ttl.ATTRIBUTE]) == ("l2", until)
