from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from typing import Any, cast

import pytest

from andon.dynamodb.client import Check
from andon.dynamodb.expressions import Condition
from andon.runtime.errors import Conflict, PreconditionRequired, Rejected, Stale
from andon.versions import sequential_history, versioned_write
from andon.versions.optimistic_lock import Draft, Saved
from andon.versions.sequential_history import is_new_version, save, visible, visible_revisions
from andon.versions.versioned_write import Contended, Requirement, Versions
from tests.support.samples import NOW
from tests.support.wire import Wire
from toys.archive import CURRENT, HISTORY, Archive, Choose, Crash, crash_after, every_run_of, versions_of
from toys.held import Held
from toys.things import painting

_names = count(1)

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


class Writer:
    """A command on its way, held before each request; it may crash there and come again."""

    def __init__(self, versions: Versions[Any], draft: Draft) -> None:
        self.versions, self.draft = versions, draft
        self.made: list[str] = []
        self.running = self._begin()

    def crash(self) -> None:
        """End, and begin again from the start; nothing is asked for before the first step."""
        self.running.kill()
        self.made = []
        self.running = self._begin()

    def end(self) -> None:
        self.running.kill()

    def step(self) -> None:
        """Make the next request, and go on to the one behind it."""
        self.made.append(self.next)
        self.running.go_on()

    @property
    def next(self) -> str:
        """The request that it is held at, "" at the end."""
        match self.running.call:
            case None:
                return ""
            case ("GetItem", _):
                return "check for a retry"
            case ("PutItem", {"TableName": "HISTORY_TABLE"}):
                return "history"
            case ("UpdateItem", {"UpdateExpression": update}) if "ADD" in update:
                return "fence"
        return "current"

    @property
    def result(self) -> Saved[Any] | Rejected | None:
        """Its answer, None as long as it is on its way."""
        return cast("Saved[Any] | Rejected | None", self.running.result or self.running.error)

    def state(self) -> str:
        """The state that decides its next steps: the next call and the attempt's number; its thing's name aside."""
        attempt = sum(name == "fence" for name in self.made)
        known = repr((self.running.call, attempt, self.result))
        return known.replace(str(self.versions.key["pk"]), "it")

    def _begin(self) -> Held:
        return Held(lambda: save(self.versions, self.draft))


ACTS = ("step", "crash")
Act = tuple[str, int]


@dataclass(slots=True)
class Race:
    """Writers who go on, and crash, in any order, until all have an answer.

    Kept over all orders: what was stored after each beginning, and which beginning led to a state first.
    """

    after: dict[tuple[Act, ...], Stored] = field(default_factory=dict)
    first: dict[str, tuple[Act, ...]] = field(default_factory=dict)

    def run(self, choose: Choose, writers: list[Writer], *, crashes: int) -> bool:
        """Take one order; whether it came to its end without a state that another order led to before."""
        try:
            return self._run(choose, writers, crashes)
        finally:
            for writer in writers:
                writer.end()

    def _run(self, choose: Choose, writers: list[Writer], crashes: int) -> bool:
        versions = writers[0].versions
        order: tuple[Act, ...] = ()
        self.after = self.after or {order: stored(versions)}
        while working := [number for number, writer in enumerate(writers) if writer.result is None]:
            acts = ACTS if crashes else ACTS[:1]
            # Who begins is not chosen: what the others do would only be told with other names.
            act, number = choose([(act, number) for act in acts for number in (working if order else working[:1])])
            crashes -= act == "crash"
            getattr(writers[number], act)()
            before, order = self.after[order], (*order, (act, number))
            if order not in self.after:  # else this is how an earlier order began
                now = self.after[order] = stored(versions)
                require_consistent(now, before)
                state = repr((now, crashes, [writer.state() for writer in writers]))
                if self.first.setdefault(state, order) != order:
                    return False
        return True


@pytest.mark.parametrize("if_match", [None, 1], ids=["create", "change"])
def test_two_writers_leave_one_version_and_its_history_in_every_interleaving_and_whoever_crashes_where(
    monkeypatch: pytest.MonkeyPatch, if_match: int | None
) -> None:
    monkeypatch.setattr(sequential_history, "ATTEMPTS", 2)
    race = Race()
    winners = set()
    refusal = Stale if if_match else PreconditionRequired

    def play(choose: Choose) -> None:
        versions = another()
        if if_match:
            save(versions, coat("white"))
        writers = [Writer(versions, coat(colour, if_match=if_match)) for colour in ("red", "green")]

        if not race.run(choose, writers, crashes=1):
            return

        answers = [answer_of(versions, writer.draft) for writer in writers]
        (won,) = [answer for answer in answers if isinstance(answer, Saved)]
        assert sorted(type(answer).__name__ for answer in answers) == sorted(["Saved", refusal.__name__])
        for writer, answer in zip(writers, answers, strict=True):
            assert isinstance(writer.result, (Contended, type(answer)))
        end = stored(versions)
        assert (end.version, end.orphans) == ((if_match or 0) + 1, [])
        assert said(row_of(won)) == said(end.to_response[0])
        winners.add(row_of(won)["colour"])

    every_run_of(play)

    assert winners == {"red", "green"}


def test_a_command_that_overtakes_itself_becomes_one_version_and_both_get_the_same_answer() -> None:
    race = Race()

    def play(choose: Choose) -> None:
        versions = another()
        draft = coat("red")
        writers = [Writer(versions, draft), Writer(versions, draft)]

        if not race.run(choose, writers, crashes=0):
            return

        answers = [writer.result for writer in writers if not isinstance(writer.result, Contended)]
        answers.append(answer_of(versions, draft))
        saved = [answer for answer in answers if isinstance(answer, Saved) and answer.created]
        assert len(saved) == len(answers)
        assert all(said(row_of(answer)) == said(row_of(saved[0])) for answer in saved)
        assert (stored(versions).version, stored(versions).orphans) == (1, [])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequential_history, "ATTEMPTS", 2)
        every_run_of(play)


def test_a_version_that_somebody_wrote_without_a_fence_is_not_written_over() -> None:
    versions = another()
    save(versions, coat("white"))
    late = Writer(versions, coat("red", if_match=1))
    while late.next != "current":
        late.step()
    versioned_write.save(replace(versions, revisions=None), coat("green", if_match=1))

    late.step()

    assert late.next == "fence"
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


def test_a_stream_of_the_current_row_tells_a_new_version_from_a_fence() -> None:
    versions = another()
    with crash_after(1), pytest.raises(Crash):
        save(versions, coat("red"))
    images = [None, CURRENT.get(versions.key)]
    for draft in (coat("red"), coat("green", if_match=1)):
        writer = Writer(versions, draft)
        while writer.result is None:
            writer.step()
            images.append(CURRENT.get(versions.key))

    told = [(new or {}).get("version") for old, new in pairwise(images) if is_new_version(old, new)]

    assert told == [1, 2]
    assert len(images) == 8


def test_of_two_who_keep_taking_the_fence_from_each_other_one_gives_up_and_the_other_comes_through() -> None:
    versions = another()
    writers = [Writer(versions, coat(colour)) for colour in ("red", "green")]

    while working := [writer for writer in writers if writer.result is None]:
        for writer in working:
            writer.step()
            while writer.result is None and writer.next != "current":
                writer.step()

    assert [type(writer.result) for writer in writers] == [Contended, Saved]
    assert [revision["colour"] for revision in stored(versions).to_response] == ["green"]


OTHER_ROW = Requirement(
    check=Check(CURRENT, {"pk": "other", "sk": "-"}, Condition("x")), otherwise=Conflict("the other row is missing")
)


@pytest.mark.parametrize(
    ("versions", "draft"),
    [
        (replace(versions_of("it"), revisions=None), coat("red")),
        (replace(versions_of("it"), requires=OTHER_ROW), coat("red")),
        (versions_of("it"), coat("red")._replace(attributes={"ttl": 1})),
    ],
    ids=["no history", "a check of another row", "a current row that expires"],
)
def test_what_cannot_be_kept_without_a_transaction_is_refused(versions: Versions[Any], draft: Draft) -> None:
    with Wire() as wire, pytest.raises(ValueError, match=r"fence|sequential"):
        save(versions, draft)

    assert wire.operations == []
