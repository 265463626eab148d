from collections.abc import Callable
from typing import Any

import pytest

from andon.dynamodb.expressions import Condition
from andon.runtime.errors import PreconditionRequired, Rejected, Stale
from andon.testing.wire import Wire
from andon.versions.optimistic_lock import Saved
from andon.versions.versioned_write import ATTEMPTS, Contended, Versions, save
from toys.clock import NOW
from toys.things import TABLE, VARIABLE, World, current_only, painting, with_history

ALWAYS = Condition("attribute_exists(pk)")

# Behind every timestamp, so that a writer is refused for its version and not for its clock.
LATER = NOW + 60_000

Kept = Callable[[str], Versions[Any]]

WRITES = ("PutItem", "UpdateItem", "TransactWriteItems")

pytestmark = pytest.mark.usefixtures("world")


@pytest.fixture(params=[current_only, with_history], ids=["current only", "with history"])
def kept(request: pytest.FixtureRequest) -> Kept:
    kept: Kept = request.param
    return kept


def told(saved: Saved[Any]) -> dict[str, Any]:
    to_response = ("colour", "version", "timestamp", "changedBy")
    return {"created": saved.created, **{name: saved.row.get(name) for name in to_response}}


def writes(wire: Wire) -> int:
    return sum(operation in WRITES for operation in wire.operations)


def test_a_revision_costs_one_request(world: World, kept: Kept, name: str, wire: Wire) -> None:
    created = save(kept(name), painting(name, "red"))
    assert len(wire.requests) == writes(wire) == 1
    changed = save(kept(name), painting(name, "blue", if_match=1, now_ms=NOW + 5))
    assert len(wire.requests) == writes(wire) == 2

    by = {"changedBy": "somebody"}
    assert told(created) == {"created": True, "colour": "red", "version": 1, "timestamp": NOW, **by}
    assert told(changed) == {"created": False, "colour": "blue", "version": 2, "timestamp": NOW + 5, **by}
    row = world.thing(name)
    assert row is not None
    assert row | {"pk": name, "sk": "-", "kind": "thing"} == {**row, **changed.row}


def test_a_draft_may_say_what_the_key_says(kept: Kept, name: str) -> None:
    for if_match in (None, 1):
        draft = painting(name, f"red {if_match}", if_match=if_match)
        saved = save(kept(name), draft._replace(attributes={**draft.attributes, "pk": name}))

        assert saved.row["pk"] == name


def test_a_field_that_the_next_version_does_not_have_is_removed(world: World, kept: Kept, name: str) -> None:
    save(kept(name), painting(name, "red"))

    save(kept(name), painting(name, None, if_match=1))

    row = world.thing(name)
    assert row is not None
    assert row["version"] == 2
    assert "colour" not in row


def test_a_retry_answers_as_the_first_time_did_and_changes_nothing(world: World, kept: Kept, name: str) -> None:
    for command in ({"colour": "red"}, {"colour": "blue", "if_match": 1}):
        first = told(save(kept(name), painting(name, **command)))
        world.new_records(VARIABLE)
        assert told(save(kept(name), painting(name, **command, now_ms=LATER))) == first
        assert world.new_records(VARIABLE) == []


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


@pytest.mark.parametrize("behind", [0, 1, 86_400_000])
def test_timestamps_increase_although_a_clock_is_behind(kept: Kept, name: str, wire: Wire, behind: int) -> None:
    save(kept(name), painting(name, "red"))
    wire.requests.clear()

    saved = save(kept(name), painting(name, "blue", if_match=1, now_ms=NOW - behind))

    assert saved.row["timestamp"] == NOW + 1
    assert len(wire.requests) == writes(wire) == 2


@pytest.mark.parametrize(("if_match", "error"), [(None, PreconditionRequired), (1, Stale)])
def test_of_two_writers_of_one_version_one_wins_and_the_other_has_to_read(
    world: World, kept: Kept, name: str, wire: Wire, if_match: int | None, error: type[Rejected]
) -> None:
    if if_match:
        save(kept(name), painting(name, "red"))
    for operation in WRITES:
        wire.before(operation, lambda: save(kept(name), painting(name, "blue", if_match=if_match, actor="else")))

    with pytest.raises(error):
        save(kept(name), painting(name, "green", if_match=if_match, now_ms=LATER))

    row = world.thing(name)
    assert row is not None
    assert (row["version"], row["colour"]) == ((if_match or 0) + 1, "blue")


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
