from typing import Any

import pytest

from andon.runtime.errors import Conflict, NotFound, PreconditionRequired, Rejected, Stale
from andon.versions.optimistic_lock import (
    CURRENT,
    REQUIRED,
    REVISION,
    CheckRetry,
    Command,
    Draft,
    Expected,
    Refuse,
    RefusedSave,
    Return,
    Saved,
    Stands,
    VersionedRow,
    Write,
    decide_next,
    decide_on_read,
    expected_by,
    fingerprint_of,
    revision_of,
)
from tests.support.samples import NOW
from toys.things import painting

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
    assert painting("a thing", None).digest != painting("a thing", "red").digest
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
