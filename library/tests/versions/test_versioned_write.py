from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.client import Check, Table
from andon.dynamodb.expressions import Condition
from andon.runtime.errors import CallFailed, Conflict, PreconditionRequired, Rejected, Stale
from andon.versions.optimistic_lock import Saved
from andon.versions.versioned_write import ATTEMPTS, Contended, Requirement, Versions, save
from tests.support.examples import ON_TABLES
from tests.support.samples import NOW
from tests.support.wire import Wire
from toys.things import KEYS, TABLE, VARIABLE, World, current_only, painting, with_history

ALWAYS = Condition("attribute_exists(pk)")

# Behind every timestamp, so that a writer is refused for its version and not for its clock.
LATER = NOW + 60_000

Kept = Callable[[str], Versions[Any]]

WRITES = ("PutItem", "UpdateItem", "TransactWriteItems")

pytestmark = pytest.mark.usefixtures("world")


@pytest.fixture(params=[current_only, with_history], ids=["current only", "with history"])
def kept(request: pytest.FixtureRequest) -> Kept:
    """How versions are kept."""
    kept: Kept = request.param
    return kept


def told(saved: Saved[Any]) -> dict[str, Any]:
    """Return what a response is made of."""
    to_response = ("colour", "version", "timestamp", "changedBy")
    return {"created": saved.created, **{name: saved.row.get(name) for name in to_response}}


def writes(wire: Wire) -> int:
    return sum(operation in WRITES for operation in wire.operations)


def test_the_first_revision_is_created_with_one_request(world: World, kept: Kept, name: str, wire: Wire) -> None:
    saved = save(kept(name), painting(name, "red"))

    assert len(wire.requests) == writes(wire) == 1
    assert told(saved) == {"created": True, "colour": "red", "version": 1, "timestamp": NOW, "changedBy": "somebody"}
    row = world.thing(name)
    assert row is not None
    assert row | {"pk": name, "sk": "-", "kind": "thing"} == {**row, **saved.row}


def test_a_change_of_the_current_version_is_the_next_one(kept: Kept, name: str, wire: Wire) -> None:
    save(kept(name), painting(name, "red"))
    wire.requests.clear()

    saved = save(kept(name), painting(name, "blue", if_match=1, now_ms=NOW + 5))

    assert len(wire.requests) == writes(wire) == 1
    assert told(saved) == {
        "created": False,
        "colour": "blue",
        "version": 2,
        "timestamp": NOW + 5,
        "changedBy": "somebody",
    }


def test_a_field_that_the_next_version_does_not_have_is_removed(world: World, kept: Kept, name: str) -> None:
    save(kept(name), painting(name, "red"))

    save(kept(name), painting(name, None, if_match=1))

    row = world.thing(name)
    assert row is not None
    assert row["version"] == 2
    assert "colour" not in row


def test_a_change_without_the_version_needs_it(world: World, kept: Kept, name: str) -> None:
    save(kept(name), painting(name, "red"))
    before = world.thing(name)

    with pytest.raises(PreconditionRequired):
        save(kept(name), painting(name, "blue"))

    assert world.thing(name) == before


@pytest.mark.parametrize("if_match", [2, 10**14])
def test_a_change_of_another_version_is_stale(world: World, kept: Kept, name: str, if_match: int) -> None:
    save(kept(name), painting(name, "red"))
    before = world.thing(name)

    with pytest.raises(Stale):
        save(kept(name), painting(name, "blue", if_match=if_match, now_ms=LATER))

    assert world.thing(name) == before


def test_a_change_of_what_is_not_there_is_stale(world: World, kept: Kept, name: str) -> None:
    with pytest.raises(Stale):
        save(kept(name), painting(name, "red", if_match=1))

    assert world.thing(name) is None


def test_a_retry_answers_as_the_first_time_did_and_changes_nothing(world: World, kept: Kept, name: str) -> None:
    create, change = painting(name, "red"), painting(name, "blue", if_match=1, now_ms=NOW + 1)

    created = told(save(kept(name), create))
    assert told(save(kept(name), create)) == created
    changed = told(save(kept(name), change))
    world.new_records(VARIABLE)
    assert told(save(kept(name), change)) == changed

    assert world.new_records(VARIABLE) == []


def test_a_retry_with_a_later_clock_is_a_retry_still(kept: Kept, name: str) -> None:
    created = told(save(kept(name), painting(name, "red")))

    assert told(save(kept(name), painting(name, "red", now_ms=NOW + 60_000))) == created


def test_without_history_a_retry_after_another_change_is_refused(world: World, name: str) -> None:
    save(current_only(name), painting(name, "red"))
    save(current_only(name), painting(name, "blue", if_match=1))
    save(current_only(name), painting(name, "green", if_match=2, actor="else"))
    before = world.thing(name)

    with pytest.raises(PreconditionRequired):
        save(current_only(name), painting(name, "red"))
    with pytest.raises(Stale):
        save(current_only(name), painting(name, "blue", if_match=1, now_ms=LATER))

    assert world.thing(name) == before


def test_with_history_a_retry_after_another_change_answers_as_the_first_time_did(world: World, name: str) -> None:
    created = told(save(with_history(name), painting(name, "red")))
    changed = told(save(with_history(name), painting(name, "blue", if_match=1)))
    save(with_history(name), painting(name, "green", if_match=2, actor="else"))
    before = world.thing(name)

    assert told(save(with_history(name), painting(name, "red"))) == created
    assert told(save(with_history(name), painting(name, "blue", if_match=1))) == changed
    with pytest.raises(PreconditionRequired):
        save(with_history(name), painting(name, "red", actor="else"))
    with pytest.raises(Stale):
        save(with_history(name), painting(name, "blue", if_match=1, actor="else"))

    assert world.thing(name) == before


def test_the_same_content_for_the_current_version_changes_nothing(world: World, kept: Kept, name: str) -> None:
    first = told(save(kept(name), painting(name, "red")))
    world.new_records(VARIABLE)

    saved = save(kept(name), painting(name, "red", if_match=1, now_ms=NOW + 5, actor="else"))

    assert told(saved) == first | {"created": False}
    assert world.new_records(VARIABLE) == []


def test_the_same_content_of_another_actor_without_a_version_is_no_retry(kept: Kept, name: str) -> None:
    save(kept(name), painting(name, "red"))

    with pytest.raises(PreconditionRequired):
        save(kept(name), painting(name, "red", actor="else"))


@pytest.mark.parametrize("behind", [0, 1, 86_400_000])
def test_timestamps_increase_although_a_clock_is_behind(kept: Kept, name: str, wire: Wire, behind: int) -> None:
    save(kept(name), painting(name, "red"))
    wire.requests.clear()

    saved = save(kept(name), painting(name, "blue", if_match=1, now_ms=NOW - behind))

    assert saved.row["timestamp"] == NOW + 1
    assert len(wire.requests) == writes(wire) == 2


@ON_TABLES
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=6))
def test_timestamps_increase_strictly_whatever_the_clocks_of_writers_show(world: World, clocks: list[int]) -> None:
    name = f"clocks {clocks}"
    world.take_away(name)

    rows = [
        save(current_only(name), painting(name, f"colour {n}", if_match=n or None, now_ms=NOW + offset)).row
        for n, offset in enumerate(clocks)
    ]

    stamps = [row["timestamp"] for row in rows]
    assert all(one < other for one, other in pairwise(stamps))
    assert all(stamp >= NOW + offset for stamp, offset in zip(stamps, clocks, strict=True))
    assert [row["version"] for row in rows] == list(range(1, len(clocks) + 1))


def test_of_two_writers_of_one_version_one_wins_and_one_is_stale(
    world: World, kept: Kept, name: str, wire: Wire
) -> None:
    save(kept(name), painting(name, "red"))
    for operation in WRITES:
        wire.before(operation, lambda: save(kept(name), painting(name, "blue", if_match=1, actor="else")))

    with pytest.raises(Stale):
        save(kept(name), painting(name, "green", if_match=1, now_ms=LATER))

    row = world.thing(name)
    assert row is not None
    assert (row["version"], row["colour"]) == (2, "blue")


def test_of_two_creators_one_wins_and_the_other_has_to_read(world: World, kept: Kept, name: str, wire: Wire) -> None:
    for operation in WRITES:
        wire.before(operation, lambda: save(kept(name), painting(name, "blue", actor="else")))

    with pytest.raises(PreconditionRequired):
        save(kept(name), painting(name, "green"))

    row = world.thing(name)
    assert row is not None
    assert row["colour"] == "blue"


@pytest.mark.parametrize("if_match", [None, 1])
def test_a_lost_answer_leaves_one_revision(
    world: World, kept: Kept, name: str, wire: Wire, pauses: list[float], if_match: int | None
) -> None:
    if if_match:
        save(kept(name), painting(name, "red"))
    for operation in WRITES:
        wire.lose_answers(operation, times=1)

    saved = save(kept(name), painting(name, "blue", if_match=if_match, now_ms=NOW + 1))

    assert saved.created == (if_match is None)
    row = world.thing(name)
    assert row is not None
    assert row["version"] == saved.row["version"] == (if_match or 0) + 1
    assert len(pauses) == 1  # botocore's, which tried again


def test_answers_that_stay_lost_are_recognised_when_the_client_comes_again(
    world: World, kept: Kept, name: str, wire: Wire, pauses: list[float]
) -> None:
    for operation in WRITES:
        wire.lose_answers(operation, times=4)
    with pytest.raises(CallFailed, match="ReadTimeoutError"):
        save(kept(name), painting(name, "red"))

    saved = save(kept(name), painting(name, "red", now_ms=NOW + 9000))

    assert saved.created
    assert (saved.row["version"], saved.row["timestamp"]) == (1, NOW)
    row = world.thing(name)
    assert row is not None
    assert row["version"] == 1
    assert pauses


def test_a_row_whose_time_runs_away_at_every_attempt_is_given_up(world: World, name: str, wire: Wire) -> None:
    versions = with_history(name)
    save(versions, painting(name, "red"))
    wire.requests.clear()
    ahead = iter(range(NOW + 10, NOW + 1000, 10))

    def run_away() -> None:
        TABLE.update({"pk": name, "sk": "-"}, assign={"timestamp": next(ahead)}, condition=ALWAYS)

    wire.before("TransactWriteItems", run_away, times=100)

    with pytest.raises(Contended):
        save(versions, painting(name, "blue", if_match=1))

    assert wire.operations.count("TransactWriteItems") == ATTEMPTS
    row = world.thing(name)
    assert row is not None
    assert row["version"] == 1


@pytest.mark.parametrize("code", ["ThrottlingException", "ValidationException", "InternalServerError"])
def test_another_error_is_no_verdict_on_the_version(world: World, name: str, wire: Wire, code: str) -> None:
    for operation in WRITES:
        wire.fail(operation, code)

    with pytest.raises(Exception, match=code) as raised:
        save(current_only(name), painting(name, "red"))

    assert not isinstance(raised.value, Rejected)
    assert world.thing(name) is None


def test_nothing_can_be_required_where_no_transaction_would_check_it(name: str) -> None:
    requires = Requirement(check=Check(TABLE, {"pk": "other", "sk": "-"}, ALWAYS), otherwise=Conflict("it is missing"))

    with pytest.raises(ValueError, match="keep revisions"):
        replace(current_only(name), requires=requires)

    assert replace(with_history(name), requires=requires).requires == requires


def test_earlier_revisions_are_never_touched(world: World, name: str) -> None:
    for version, colour in enumerate(["red", "blue", "green"]):
        save(with_history(name), painting(name, colour, if_match=version or None))

    history = Table(VARIABLE, KEYS).query(with_history(name).revisions.all, limit=10).items  # type: ignore[union-attr]

    assert [(row["version"], row["colour"]) for row in history] == [(3, "green"), (2, "blue"), (1, "red")]
    current = world.thing(name)
    assert current is not None
    assert current["version"] == 3
