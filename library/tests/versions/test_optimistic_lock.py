from typing import Any, Final

import pytest

from andon.dynamodb.expressions import Condition
from andon.runtime import times
from andon.runtime.errors import Conflict, NotFound, PreconditionRequired, Rejected, Stale
from andon.versions.optimistic_lock import (
    CURRENT,
    OWNED_SINCE,
    REQUIRED,
    REVISION,
    CheckRetry,
    Command,
    Draft,
    Expected,
    Guard,
    Owner,
    Refuse,
    RefusedSave,
    Return,
    Saved,
    Stands,
    VersionedRow,
    Write,
    changed,
    condition_of,
    decide_next,
    decide_on_read,
    digest_of,
    expected_by,
    fingerprint_of,
    owned_since,
    require_admitted,
    revision_of,
    stale,
    write_upon,
)
from toys.clock import NOW
from toys.things import painting

NO_ROW = Condition("attribute_not_exists(#key)", {"key": "pk"})

COMMAND: dict[str, Any] = {
    "route": "PUT /x",
    "path": {"id": "1"},
    "if_match": 1,
    "body": {"a": 1, "b": 2},
    "actor": "me",
}


OTHERS: list[dict[str, Any]] = [
    *({"route": "PUT /y"}, {"path": {"id": "2"}}, {"if_match": 2}, {"if_match": None}, {"body": {"a": 1}}),
    {"actor": "you"},
]


def test_commands_that_differ_in_anything_but_the_order_of_members_have_other_fingerprints() -> None:
    same = fingerprint_of(**COMMAND | {"body": {"b": 2, "a": 1}})

    assert same == fingerprint_of(**COMMAND)
    assert len({same, *(fingerprint_of(**COMMAND | other) for other in OTHERS)}) == 1 + len(OTHERS)


def test_equal_numbers_are_one_value_however_they_are_written() -> None:
    assert digest_of({"limits": [{"seconds": 60.0}], "no": -0.0}) == digest_of({"limits": [{"seconds": 60}], "no": 0})
    assert len({digest_of(value) for value in (60, 60.5, "60", True, 1, None, 1e300)}) == 7
    assert fingerprint_of(**COMMAND | {"body": {"a": 60}}) == fingerprint_of(**COMMAND | {"body": {"a": 60.0}})


def test_a_revision_says_which_version_it_is_when_it_was_made_and_by_whom() -> None:
    draft = painting("a thing", "red", if_match=4)

    row = revision_of(draft, expected_by(draft.command))

    assert row == {
        "colour": "red",
        "version": 5,
        "timestamp": NOW,
        "changedBy": "somebody",
        "fingerprint": draft.command.fingerprint,
        "digest": draft.digest,
    }


def test_a_field_that_is_none_and_one_that_is_absent_are_the_same_content() -> None:
    said, none = painting("a thing", "red"), painting("a thing", None)
    assert none.digest == none._replace(content={}).digest != said.digest
    assert said.digest == said._replace(content={**said.content, "gloss": None}).digest
    assert "colour" not in revision_of(painting("a thing", None), expected_by(painting("a thing", None).command))


# What comes next when a save was refused


def row(version: int, colour: str = "white", **members: Any) -> VersionedRow:  # noqa: ANN401
    """A living row, made by somebody else in a life that began with version 1."""
    draft = painting("a thing", colour, if_match=version - 1 or None, now_ms=NOW + version, actor="else")
    made: dict[str, Any] = {**revision_of(draft, expected_by(draft.command)), "since": 1, **members}
    return made  # type: ignore[return-value]


def red(if_match: int | None = None, **members: Any) -> Draft:  # noqa: ANN401
    return painting("a thing", "red", if_match=if_match)._replace(**members)


def found(current: VersionedRow | None, **members: Any) -> RefusedSave:  # noqa: ANN401
    return RefusedSave(failed={CURRENT: current}, **members)


TOMBSTONE = row(2, deleted=True)


@pytest.mark.parametrize(
    ("draft", "refused", "version", "error"),
    [
        *((red(), found(row(3)), 1, PreconditionRequired), (red(2), found(row(3)), 3, Stale)),
        *((red(7), found(row(3)), 8, Stale), (red(1), found(None), 2, Stale), (red(1), found(TOMBSTONE), 2, Stale)),
        *((red(2, revives=False), found(TOMBSTONE), 3, NotFound), (red(1), found(None, newest=TOMBSTONE), 2, Stale)),
        (red(2, revives=False), found(None, newest=TOMBSTONE), 3, Stale),
    ],
    ids=[
        *("no version of what is there", "an older version", "a version that never was", "a version of nothing"),
        *("another version than the tombstone's", "a change of what was deleted"),
        *("another version than that of the tombstone that is gone", "a change of what was deleted and is gone"),
    ],
)
def test_a_command_that_does_not_fit_is_refused_unless_it_is_a_retry_of_the_version_it_would_have_made(
    draft: Draft, refused: RefusedSave, version: int, error: type[Rejected]
) -> None:
    step = decide_next(draft, refused)

    assert isinstance(step, CheckRetry)
    assert (step.version, type(step.otherwise)) == (version, error)


@pytest.mark.parametrize(
    ("draft", "refused", "expected"),
    [
        (red(3), found(row(3)), Expected(3, Stands.ALIVE, NOW + 4)),
        (red(3, repeats=True), found(row(3, "red")), Expected(3, Stands.ALIVE, NOW + 4)),
        (red(needs_if_match=lambda _: False), found(row(3)), Expected(3, Stands.ALIVE, NOW + 4)),
        (red(), found(TOMBSTONE), Expected(2, Stands.TOMBSTONE, NOW + 3)),
        (red(2), found(TOMBSTONE), Expected(2, Stands.TOMBSTONE, NOW + 3)),
        (red(), found(None, newest=TOMBSTONE), Expected(2, Stands.NOTHING, NOW + 3)),
        (red(2), found(None, newest=TOMBSTONE), Expected(2, Stands.NOTHING, NOW + 3)),
        (red(), RefusedSave(failed={REVISION: row(1)}, newest=row(1)), Expected(1, Stands.NOTHING, NOW + 2)),
    ],
    ids=[
        *("a clock that is behind", "the same again that is to be made again", "a row that needs no If-Match"),
        *("a tombstone", "a tombstone by its version", "a tombstone that is gone"),
        *("a tombstone that is gone, by its version", "a first version that is just being written"),
    ],
)
def test_a_command_that_fits_what_is_there_is_written_upon_that_and_stamped_later(
    draft: Draft, refused: RefusedSave, expected: Expected
) -> None:
    step = decide_next(draft, refused)

    assert step == Write(expected, revision_of(draft, expected))
    assert isinstance(step, Write)
    assert (step.revision["version"], step.revision["timestamp"]) == (expected.version + 1, expected.not_before_ms)


def test_a_refusal_says_which_version_is_there_but_of_a_tombstone_none() -> None:
    assert (stale(row(3)).version, stale(TOMBSTONE).version) == (3, None)
    assert changed(row(3)) == {"changedAt": times.to_utc(NOW + 3), "changedBy": "else"}


def test_what_another_write_beside_it_does_not_allow_is_not_written_and_what_is_done_needs_none() -> None:
    conflict = Conflict("what it claims is taken")
    same = row(3, "red")

    assert decide_next(red(3), found(row(3), conflict=conflict)) == Refuse(conflict)
    assert decide_next(red(3), found(same, conflict=conflict)) == Return(Saved(same, created=False))
    assert decide_next(red(2), found(row(3), conflict=conflict)) != Refuse(conflict)


def test_a_change_that_changes_nothing_returns_what_is_there() -> None:
    same = row(3, "red")

    assert decide_next(red(3), found(same)) == Return(Saved(same, created=False))


@pytest.mark.parametrize(("if_match", "created"), [(None, True), (3, False)])
def test_a_retry_returns_what_it_made(if_match: int | None, created: bool) -> None:  # noqa: FBT001
    draft = red(if_match)
    made = revision_of(draft, expected_by(draft.command))
    missing = Conflict("what is required is missing")

    for refused in (found(made), RefusedSave(failed={CURRENT: made, REQUIRED: None}, missing=missing)):
        assert decide_next(draft, refused) == Return(Saved(made, created=created))


def test_nothing_is_done_without_what_is_required() -> None:
    missing = Conflict("what is required is missing")

    def decide(draft: Draft, **failed: VersionedRow | None) -> object:
        return decide_next(draft, RefusedSave(failed={**failed, REQUIRED: None}, missing=missing))

    assert decide(red()) == Refuse(missing)
    assert decide(red(3), current=row(3)) == Refuse(missing)
    assert decide(red(3), current=row(3, "red")) == Refuse(missing)
    assert decide(red(2), current=row(3)) == CheckRetry(3, missing)


@pytest.mark.parametrize(
    ("current", "if_match", "error"),
    [
        *((None, None, NotFound), (None, 1, NotFound), (TOMBSTONE, None, NotFound), (TOMBSTONE, 2, NotFound)),
        *((row(3), None, PreconditionRequired), (row(3), 2, Stale), (row(3), 3, None)),
    ],
)
def test_who_takes_what_is_there_is_told_that_it_is_gone_then_to_name_a_version_then_that_it_is_another(
    current: VersionedRow | None, if_match: int | None, error: type[Rejected] | None
) -> None:
    command = Command(actor="me", now_ms=NOW, if_match=if_match, fingerprint="f")

    step = decide_on_read(current, command)

    if isinstance(step, CheckRetry):
        assert (step.version, type(step.otherwise)) == ((if_match or 0) + 1, error)
    else:
        assert (step, error) == (current, None)


# A writer that may replace white things only

ELSEWHERE: Final = NotFound("it is elsewhere")
WHITE: Final = Guard(
    Condition("#colour = :white", {"colour": "colour"}, {"white": "white"}),
    lambda row: row is not None and row.get("colour") == "white",
    ELSEWHERE,
)


def guarded(if_match: int | None = None, **members: Any) -> Draft:  # noqa: ANN401
    return red(if_match, guard=WHITE, **members)


def test_a_guard_is_part_of_the_condition_of_what_is_changed_not_of_what_begins() -> None:
    change, begins = guarded(3), guarded()

    changing = condition_of(change, write_upon(change, expected_by(change.command)), NO_ROW)
    assert changing.expression.endswith(") AND (#colour = :white)")
    assert (changing.names["colour"], changing.values["white"], changing.values["expected"]) == ("colour", "white", 3)
    assert "colour" not in condition_of(begins, write_upon(begins, expected_by(begins.command)), NO_ROW).names


@pytest.mark.parametrize(
    ("draft", "refused", "version"),
    [
        (guarded(3), found(row(3, "blue")), 4),
        (guarded(2), found(row(3, "blue")), 3),  # nothing is said of its version
        (guarded(), found(row(3, "blue")), 1),  # a retry of what began its life, which needs no If-Match
        (guarded(), found(row(5, "blue", since=4)), 4),
        (guarded(), found(None, newest=row(2, "blue", deleted=True)), 1),
        (guarded(3), found(row(3, "blue"), missing=Conflict("missing"), conflict=Conflict("also")), 4),
    ],
)
def test_of_what_a_guard_does_not_admit_nothing_is_said_but_its_refusal_unless_it_is_a_retry(
    draft: Draft, refused: RefusedSave, version: int
) -> None:
    assert decide_next(draft, refused) == CheckRetry(version, ELSEWHERE)


def test_what_a_guard_admits_and_what_it_did_itself_is_decided_as_without_it() -> None:
    made = revision_of(guarded(3), expected_by(guarded(3).command))
    missing = RefusedSave(failed={REQUIRED: None}, missing=Conflict("missing"))

    assert decide_next(guarded(3), found(made)) == Return(Saved(made, created=False))
    for refused in (found(row(3)), found(row(4)), found(None), found(None, newest=TOMBSTONE), missing):
        assert repr(decide_next(guarded(3), refused)) == repr(decide_next(red(3), refused))


def test_what_is_taken_over_is_shown_to_its_guard_first() -> None:
    command = Command(actor="me", now_ms=NOW, if_match=3, fingerprint="f")

    assert decide_on_read(row(3), command, WHITE) == row(3)
    for there in (row(3, "blue"), row(4, "blue"), None):
        assert decide_on_read(there, command, WHITE) == CheckRetry(4, ELSEWHERE)


def test_a_guard_requires_what_it_admits() -> None:
    require_admitted(None, None)
    require_admitted(WHITE, row(3))
    with pytest.raises(NotFound, match="elsewhere"):
        require_admitted(WHITE, row(3, "blue"))


# What changes hands: a thing whose colour is its owner

BY_COLOUR: Final = Owner(
    of=lambda said: str(said["colour"]),
    is_still=lambda owner: Condition("#owner = :owner", {"owner": "colour"}, {"owner": owner}),
)


@pytest.mark.parametrize(
    ("upon", "since"),
    [
        (row(3, "blue"), {OWNED_SINCE: NOW + 9}),
        (row(3, "blue", ownedSince=NOW - 5), {OWNED_SINCE: NOW + 9}),
        (row(3, "red", ownedSince=NOW - 5), {OWNED_SINCE: NOW - 5}),
        (row(3, "red"), {}),
        (None, {}),
    ],
    ids=["from another", "from another, once more", "its own, since then", "always its own", "nobody's before"],
)
def test_it_is_said_since_when_an_owner_has_it(upon: VersionedRow | None, since: dict[str, int]) -> None:
    draft = red(3, owner=BY_COLOUR, upon=upon)
    revision = revision_of(draft, Expected(3, Stands.ALIVE, NOW + 9))

    assert owned_since(draft, revision) == since
    assert owned_since(draft._replace(owner=None), revision) == {}


def test_a_change_upon_what_was_not_read_is_made_only_if_the_owner_stays_the_same() -> None:
    change, begins = red(3, owner=BY_COLOUR), red(owner=BY_COLOUR)

    def written(draft: Draft) -> Condition:
        return condition_of(draft, write_upon(draft, expected_by(draft.command)), NO_ROW)

    assert written(change).expression.endswith(" AND #owner = :owner")
    assert (written(change).names["owner"], written(change).values["owner"]) == ("colour", "red")
    for other in (begins, change._replace(upon=row(3)), change._replace(owner=None)):
        assert "owner" not in written(other).names
