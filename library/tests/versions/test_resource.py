"""A resource is made, changed, deleted, made again: one history, whatever the TTL service took, and both its times."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.ttl import SECONDS_PER_DAY
from andon.runtime import times
from andon.runtime.errors import CallFailed, NotFound, Rejected, Unavailable
from andon.testing.above_retries import Pass, between
from andon.testing.crash_points import calls_of
from andon.testing.examples import ON_TABLES
from andon.testing.memory.hook import Answer, Call
from andon.versions.optimistic_lock import Saved
from andon.versions.versioned_write import ATTEMPTS, FIRST_PAUSE_SECONDS
from toys.clock import NOW
from toys.gallery import (
    PICTURES,
    Gallery,
    delete,
    history,
    put,
    read,
    reap,
    review,
    roll_back,
    status_of,
)

HOUR = 3_600_000
DAY = 24 * HOUR
LATER = NOW + HOUR

Do = Callable[[str], object]
Command = Callable[..., Saved[Any]]

_numbers = count(1)


@pytest.fixture(scope="module")
def gallery() -> Iterator[Gallery]:
    with Gallery() as gallery:
        yield gallery


@pytest.fixture
def picture(gallery: Gallery) -> str:  # noqa: ARG001
    return f"picture {next(_numbers)}"


def nothing(_: str) -> None:
    """Leave the tombstone where it is."""


TOMBSTONES = pytest.mark.parametrize("since", [nothing, reap], ids=["tombstone", "tombstone taken by the TTL service"])


def retired(picture: str) -> None:
    put(picture)
    delete(picture, if_match=1)


# Lives


@TOMBSTONES
@pytest.mark.parametrize("if_match", [None, 2])
@pytest.mark.parametrize("clock", [NOW - DAY, LATER], ids=["behind", "later"])
def test_a_put_recreates_and_goes_on_from_the_highest_version_with_a_later_time(
    picture: str, since: Do, if_match: int | None, clock: int
) -> None:
    retired(picture)
    since(picture)

    saved = put(picture, "again", if_match=if_match, now_ms=clock)

    assert (saved.created, saved.row["version"], saved.row["since"]) == (True, 3, 3)
    assert [row["timestamp"] for row in history(picture)] == [max(clock, NOW + 2), NOW + 1, NOW]
    row = read(picture)
    assert row is not None
    assert (row["title"], row["version"]) == ("again", 3)
    assert not {"ttl", "deleted"} & row.keys()


def test_a_tombstone_that_has_expired_and_still_stands_is_a_tombstone(gallery: Gallery, picture: str) -> None:
    retired(picture)
    gallery.told(picture)
    much_later = NOW + 40 * DAY

    assert read(picture) is None
    assert status_of(partial(put, picture, "again", if_match=1, now_ms=much_later)) == 412
    assert put(picture, "again", now_ms=much_later).row["version"] == 3
    assert gallery.told(picture) == ["picture-undeleted 3"]


@pytest.mark.parametrize("clock", [NOW + 5, NOW, NOW - DAY], ids=["later", "same", "behind"])
def test_a_tombstone_expires_33_days_behind_its_own_time(picture: str, clock: int) -> None:
    put(picture)

    delete(picture, if_match=1, now_ms=clock)

    row = PICTURES.versions_of(picture).current()
    assert row is not None
    assert (row["timestamp"], row["deleted"]) == (max(clock, NOW + 1), True)
    assert row["ttl"] == row["timestamp"] // 1000 + 33 * SECONDS_PER_DAY


def test_a_revision_says_what_the_current_row_says(picture: str) -> None:
    put(picture)
    saved = put(picture, "another", if_match=1)

    current, revision = PICTURES.versions_of(picture).current(), PICTURES.get_version(picture, 2)

    assert current is not None
    assert {**current, "sk": 0, "since": 0} == {**revision, "sk": 0, "since": 0}
    assert {**saved.row, "since": 0}.items() <= {**current, "since": 0}.items()
    with pytest.raises(NotFound):
        PICTURES.get_version(picture, 3)


# Facts


def test_a_fact_is_the_entity_as_it_became_at_the_time_of_its_version(gallery: Gallery, picture: str) -> None:
    put(picture, valid_from=times.to_utc(NOW - HOUR))
    delete(picture, if_match=1, actor="Sue")

    created, deleted = gallery.facts(picture)

    since = times.to_utc(NOW - HOUR)
    assert created.entities == {"picture": {"id": picture, "version": 1, "title": "sea", "validFrom": since}}
    assert deleted.entities == {"picture": {"id": picture, "version": 2, "deleted": True}}
    assert (created.timestamp_ms, deleted.timestamp_ms) == (NOW, NOW + 1)
    assert deleted.tags["actor"] == "Sue"


@pytest.mark.parametrize(
    ("command", "requests"),
    [
        (put, ["TransactWriteItems"]),
        (partial(put, title="another", if_match=2, now_ms=LATER), ["TransactWriteItems"]),
        (partial(delete, if_match=2, now_ms=LATER), ["GetItem", "TransactWriteItems"]),
        (partial(roll_back, to=1, if_match=2, now_ms=LATER), ["GetItem", "GetItem", "TransactWriteItems"]),
        (review, ["TransactWriteItems"]),
    ],
    ids=["create", "update", "delete", "rollback", "a row that requires it"],
)
def test_a_command_makes_as_few_requests_as_can_be(picture: str, command: Command, requests: list[str]) -> None:
    if command is not put:
        put(picture)
        put(picture, "second", if_match=1)

    assert calls_of(partial(command, picture)) == requests


# Retries


@pytest.mark.parametrize("if_match", [None, 1])
def test_a_row_that_requires_it_is_refused_when_it_is_gone_and_its_retry_is_not(
    picture: str, if_match: int | None
) -> None:
    assert status_of(partial(review, picture)) == 404
    put(picture)
    if if_match:
        review(picture, 1)
    first = review(picture, 3, if_match=if_match)
    delete(picture, if_match=1)

    assert review(picture, 3, if_match=if_match, now_ms=LATER).row["version"] == first.row["version"]
    for other in (None, 1, 2, 3):
        assert status_of(partial(review, picture, 4, if_match=other, actor="Sue")) == 404
    put(picture)
    assert review(picture, 4, if_match=first.row["version"]).row["version"] == first.row["version"] + 1


# Others at the same moment: DynamoDB cancels a transaction, and says why of each row.


@contextmanager
def cancelled(*reasons: str, times: int = 1) -> Iterator[None]:
    """Let DynamoDB cancel the next transactions for these reasons, one for each row."""
    left = [times]

    def cancel(call: Call, go_on: Pass) -> Answer:
        if call.operation != "TransactWriteItems" or not left[0]:
            return go_on()
        left[0] -= 1
        raise CallFailed(
            "TransactionCanceledException", {"CancellationReasons": [{"Code": reason} for reason in reasons]}
        )

    with between(cancel):
        yield


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
@pytest.mark.parametrize("times", [1, ATTEMPTS - 1])
def test_a_conflict_is_tried_again_after_some_pause(picture: str, pauses: list[float], reason: str, times: int) -> None:
    with cancelled(reason, "None", times=times):
        assert put(picture).created

    assert len(pauses) == times
    assert all(0 <= pause <= FIRST_PAUSE_SECONDS * 2**attempt for attempt, pause in enumerate(pauses))


def test_a_conflict_that_does_not_end_is_given_up_and_nothing_is_done(picture: str, pauses: list[float]) -> None:
    put(picture)

    with cancelled("TransactionConflict", "None", times=1000), pytest.raises(Unavailable):
        put(picture, "another", if_match=1)

    assert len(pauses) == ATTEMPTS
    assert sum(pauses) < 3  # well within a function's timeout
    assert len(history(picture)) == 1


@pytest.mark.parametrize("title", ["another", "theirs"])
def test_a_half_told_verdict_is_no_verdict(picture: str, pauses: list[float], title: str) -> None:
    # The winner's transaction is being committed: its revision is there already, its current row not yet.
    put(picture)
    put(picture, title, if_match=1)

    with cancelled("TransactionConflict", "ConditionalCheckFailed"):
        status = status_of(partial(put, picture, "another", if_match=1, now_ms=NOW + 5))

    assert status == (200 if title == "another" else 412)  # a retry, or stale
    assert len(history(picture)) == 2
    assert pauses == []


def test_a_half_told_create_is_no_recreation(picture: str) -> None:
    put(picture)

    for title, status in [("sea", 201), ("another", 428)]:
        with cancelled("TransactionConflict", "ConditionalCheckFailed"):
            assert status_of(partial(put, picture, title)) == status
    assert len(history(picture)) == 1


def test_what_requires_a_row_that_is_being_changed_is_tried_again(picture: str, pauses: list[float]) -> None:
    put(picture)

    with cancelled("None", "None", "TransactionConflict"):
        assert review(picture).created

    assert len(pauses) == 1


# Crashes


# Both times


def test_since_when_it_is_so_is_the_corrections_alone(picture: str) -> None:
    put(picture)
    put(picture, "second", valid_from=times.to_utc(NOW - HOUR), if_match=1)
    put(picture, "third", if_match=2)
    roll_back(picture, 2, if_match=3)
    delete(picture, if_match=4)

    assert [row.get("validFrom") for row in history(picture)] == [None, None, None, NOW - HOUR, None]


@pytest.mark.parametrize("valid_from", [NOW + 1, -1])
def test_what_begins_ahead_or_before_1970_is_refused(picture: str, valid_from: int) -> None:
    with pytest.raises(Rejected) as refused:
        put(picture, valid_from=times.to_utc(valid_from))

    assert [(one.field, refused.value.status) for one in refused.value.fields] == [("body.validFrom", 400)]


CHANGE = st.tuples(st.integers(1, 3), st.none() | st.integers(0, 8), st.none() | st.sampled_from("abc"))


@ON_TABLES
@given(st.lists(CHANGE, min_size=1, max_size=5))
def test_both_times_are_those_of_a_naive_model(
    gallery: Gallery, story: list[tuple[int, int | None, str | None]]
) -> None:
    """The model writes each revision over a line of hours, in the order in which they were recorded."""
    gallery.clear()
    now, version = 0, 0
    title: str | None = None
    lines: dict[int, dict[int, str | None]] = {-1: {}}  # known at -> hour -> title
    for after, late, says in story:
        now += after
        if_match = version if title else None
        if says is None and title is None:
            continue
        valid = None if late is None or says is None else times.to_utc(NOW + (now - late) * HOUR)
        at: dict[str, Any] = {"if_match": if_match or None, "now_ms": NOW + now * HOUR}
        saved = put("it", says, valid_from=valid, **at) if says else delete("it", **at)
        if saved.row["version"] == version:
            continue  # it said the same again
        since = now if valid is None or late is None else now - late
        title, version = says, saved.row["version"]
        lines[now] = {**lines[max(lines)], **dict.fromkeys(range(since, 30), says)}

    for known_at, line in lines.items():
        for hour in range(-9, 17, 3):
            row = read("it", as_of=NOW + hour * HOUR, known_at=NOW + known_at * HOUR)
            assert (row["title"] if row else None) == line.get(hour), (hour, known_at)
