from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count, product
from typing import Any, Final, cast

import pytest

from andon.dynamodb.attribute_values import to_plain
from andon.dynamodb.client import Check
from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Conflict, PreconditionRequired, Rejected, Stale
from andon.testing.crash_points import intruding
from andon.testing.wire import Wire
from andon.versions import versioned_write
from andon.versions.optimistic_lock import Draft, Saved
from andon.versions.sequential_history import is_new_version, save, visible, visible_revisions
from andon.versions.versioned_write import ATTEMPTS, Contended, Requirement, Versions
from toys.archive import CURRENT, HISTORY, Archive, Crash, crash_after, versions_of
from toys.clock import NOW
from toys.things import painting

_names = count(1)

CALLS: Final = (1, 2, 3)
"""Of a save: fence, history, current."""

Row = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def archive() -> Iterator[Archive]:
    with Archive() as archive:
        yield archive


@pytest.fixture(autouse=True)
def no_pauses(pauses: list[float]) -> None:
    """Nobody waits: who goes next is decided by the test."""


def another() -> Versions[Any]:
    return versions_of(f"thing {next(_names)}")


@dataclass(frozen=True, slots=True)
class Stored:
    """The rows of one thing, its name aside."""

    row: Row | None
    revisions: list[Row]

    @property
    def version(self) -> int:
        row = visible(self.row)
        return row["version"] if row else 0

    @property
    def to_response(self) -> list[Row]:
        """The response to a reader, newest first."""
        return [revision for revision in self.revisions if revision["version"] <= self.version]

    @property
    def orphans(self) -> list[int]:
        return [revision["version"] for revision in self.revisions if revision["version"] > self.version]


def stored(versions: Versions[Any]) -> Stored:
    assert versions.revisions
    row = CURRENT.get(versions.key, consistent=True)
    revisions = HISTORY.query(versions.revisions.all, limit=100).items
    return Stored(without(row) if row else None, [without(revision) for revision in revisions])


def without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in {"pk", "sk", "kind", *names}}


def said(row: Row) -> Row:
    """Leave out where a row is, whose fence it was, and what a current row knows of the life it is in."""
    return without(row, "fence", "since")


def row_of(saved: Saved[Any]) -> Row:
    return cast("Row", saved.row)


def require_consistent(now: Stored, before: Stored) -> None:
    """Check what a reader may rely on at every moment."""
    assert [revision["version"] for revision in now.to_response] == list(range(now.version, 0, -1))
    assert now.version >= before.version
    assert now.to_response[now.version - before.version :] == before.to_response, "a revision changed"
    assert now.orphans in ([], [now.version + 1])
    if now.version:
        assert said(now.row or {}) == said(now.to_response[0]), (
            "the current row and the newest revision say different things"
        )


def coat(colour: str, *, if_match: int | None = None, actor: str = "somebody") -> Draft:
    """Want a colour, a moment after the version before."""
    return painting("it", colour, if_match=if_match, now_ms=NOW + (if_match or 0), actor=actor)


def answer_of(versions: Versions[Any], draft: Draft) -> Saved[Any] | Rejected:
    """Return the response to a client that sends its command again, with no other writer."""
    try:
        return save(versions, draft)
    except Rejected as error:
        return error


def broken_off(versions: Versions[Any], draft: Draft, *, calls: int = 0) -> Saved[Any] | Rejected | None:
    """Save, and let the process end behind so many calls, unless that are 0; return the response, None without one."""
    try:
        with crash_after(calls):
            return answer_of(versions, draft)
    except Crash:
        return None


@pytest.mark.parametrize("if_match", [None, 1], ids=["create", "change"])
def test_two_writers_leave_one_version_and_its_history_whoever_comes_between_and_crashes_where(
    if_match: int | None,
) -> None:
    """One comes between two calls of the other, crashes behind any of its calls, and so may the other after that."""
    winners = set()
    refusal = Stale if if_match else PreconditionRequired
    for between, theirs, all_together in product(CALLS, (0, *CALLS), (0, *range(1, 2 * len(CALLS) + 1))):
        versions = another()
        if if_match:
            save(versions, coat("white"))
        red, green = (coat(colour, if_match=if_match) for colour in ("red", "green"))
        before = stored(versions)

        with intruding(between, partial(broken_off, versions, green, calls=theirs)):
            broken_off(versions, red, calls=all_together)
        meanwhile = stored(versions)
        answers = [answer_of(versions, draft) for draft in (red, green)]

        require_consistent(meanwhile, before)
        require_consistent(end := stored(versions), meanwhile)
        (won,) = [answer for answer in answers if isinstance(answer, Saved)]
        assert sorted(type(answer).__name__ for answer in answers) == sorted(["Saved", refusal.__name__])
        assert (end.version, end.orphans) == ((if_match or 0) + 1, [])
        assert said(row_of(won)) == said(end.to_response[0])
        winners.add(row_of(won)["colour"])
    assert winners == {"red", "green"}


def test_a_command_that_overtakes_itself_becomes_one_version_and_both_get_the_same_answer() -> None:
    for between, theirs in product(CALLS, (0, *CALLS)):
        versions, draft, answers = another(), coat("red"), []

        with intruding(between, lambda: answers.append(broken_off(versions, draft, calls=theirs))):  # noqa: B023
            answers.append(broken_off(versions, draft))
        answers.append(answer_of(versions, draft))

        saved = [answer for answer in answers if isinstance(answer, Saved)]
        assert saved == [answer for answer in answers if answer is not None]
        assert all(answer.created and said(row_of(answer)) == said(row_of(saved[0])) for answer in saved)
        assert (stored(versions).version, stored(versions).orphans) == (1, [])


def test_what_is_saved_has_what_else_stands_on_the_row_at_once_and_when_it_is_sent_again() -> None:
    versions = another()

    assert [row_of(save(versions, coat("red")))["kind"] for _ in range(2)] == ["thing", "thing"]


def test_a_version_that_somebody_wrote_without_a_fence_is_not_written_over() -> None:
    versions = another()
    save(versions, coat("white"))
    without_fence = versions._replace(revisions=None)

    with intruding(len(CALLS), lambda: versioned_write.save(without_fence, coat("green", if_match=1))):
        answer_of(versions, coat("red", if_match=1))

    assert (CURRENT.get(versions.key) or {})["colour"] == "green"


@pytest.mark.parametrize("if_match", [1, 7])
def test_a_change_of_what_is_not_there_is_stale_also_while_somebody_creates_it(if_match: int) -> None:
    versions = another()
    with pytest.raises(Stale):
        save(versions, coat("red", if_match=if_match))
    with crash_after(1), pytest.raises(Crash):
        save(versions, coat("green"))

    with pytest.raises(Stale):
        save(versions, coat("red", if_match=if_match))

    assert stored(versions).version == 0


def test_what_is_shown_of_a_history_stops_at_the_current_version_by_key() -> None:
    versions = another()
    assert versions.revisions
    for version, colour in enumerate(["red", "green", "blue"]):
        save(versions, coat(colour, if_match=version or None))
    with crash_after(2), pytest.raises(Crash):
        save(versions, coat("white", if_match=3))
    row = versions.current()
    assert row is not None

    to_response = HISTORY.query(visible_revisions(versions.revisions.all, row), limit=100).items

    assert [revision["colour"] for revision in to_response] == ["blue", "green", "red"]
    assert len(HISTORY.query(versions.revisions.all, limit=100).items) == 4


def test_a_stream_of_the_current_row_tells_a_new_version_from_a_fence(archive: Archive) -> None:
    versions = another()
    archive.new_records(CURRENT.variable)
    broken_off(versions, coat("red"), calls=1)
    for draft in (coat("red"), coat("green", if_match=1)):
        save(versions, draft)

    changes = [record["dynamodb"] for record in archive.new_records(CURRENT.variable)]

    images = [[to_plain(one[name]) if name in one else None for name in ("OldImage", "NewImage")] for one in changes]
    told = [(new or {}).get("version") for old, new in images if is_new_version(old, new)]
    assert told == [1, 2]
    assert len(images) == 5


def test_of_two_who_keep_taking_the_fence_from_each_other_one_gives_up_and_the_other_comes_through() -> None:
    versions = another()
    green = coat("green")
    with Wire() as wire:
        wire.before("PutItem", lambda: broken_off(versions, green, calls=1), times=2 * ATTEMPTS)

        assert isinstance(answer_of(versions, coat("red")), Contended)

    assert isinstance(answer_of(versions, green), Saved)
    assert [revision["colour"] for revision in stored(versions).to_response] == ["green"]


OTHER_ROW = Requirement(
    check=Check(CURRENT, {"pk": "other", "sk": "-"}, Condition("x")), otherwise=Conflict("the other row is missing")
)


def requiring_another_row(versions: Versions[Any]) -> Versions[Any]:
    assert versions.revisions is not None
    return versions._replace(revisions=versions.revisions._replace(requires=OTHER_ROW))


@pytest.mark.parametrize(
    ("versions", "draft"),
    [
        (versions_of("it")._replace(revisions=None), coat("red")),
        (requiring_another_row(versions_of("it")), coat("red")),
        (versions_of("it"), coat("red")._replace(attributes={"ttl": 1})),
    ],
    ids=["no history", "a check of another row", "a current row that expires"],
)
def test_what_cannot_be_kept_without_a_transaction_is_refused(versions: Versions[Any], draft: Draft) -> None:
    with Wire() as wire, pytest.raises(ValueError, match=r"fence|sequential"):
        save(versions, draft)

    assert wire.operations == []
