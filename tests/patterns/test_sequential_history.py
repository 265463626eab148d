from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

import pytest

from patterns import sequential_history, versioned_write
from patterns.errors import PreconditionRequired, Rejected, Stale
from patterns.expressions import Condition
from patterns.optimistic_lock import Draft, Saved
from patterns.sequential_history import Steps, moved, save, steps, visible, visible_revisions
from patterns.transaction import Check
from patterns.versioned_write import Contended, Versions
from tests.patterns.archive import CURRENT, HISTORY, Archive, Choose, Crash, crash_after, every_run_of, versions_of
from tests.patterns.things import painting
from tests.samples import NOW
from tests.wire import Wire

_names = count(1)

Row = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def archive() -> Iterator[Archive]:
    with Archive() as archive:
        yield archive


@pytest.fixture(autouse=True)
def no_pauses(pauses: list[float]) -> None:
    """Nobody waits: who goes next is decided by the test."""


@pytest.fixture
def versions() -> Versions:
    return versions_of(f"thing {next(_names)}")


def current(versions: Versions) -> Row | None:
    return visible(CURRENT.get(versions.key, consistent=True))


def history(versions: Versions) -> list[Row]:
    """Read what a reader is shown, newest first."""
    row = current(versions)
    return HISTORY.query(visible_revisions(all_of(versions), row), limit=100).items if row else []


def all_of(versions: Versions) -> Any:  # noqa: ANN401
    assert versions.revisions
    return versions.revisions.all


def said(row: Row) -> Row:
    """Leave out where a row is and who held the fence."""
    return {name: value for name, value in row.items() if name not in {"pk", "sk", "kind", "fence"}}


def require_consistent(versions: Versions, before: list[Row]) -> list[Row]:
    """Check what a reader may rely on at any moment; `before` is the history as it was some time ago."""
    row, shown = current(versions), history(versions)
    everything = HISTORY.query(all_of(versions), limit=100).items
    version = row["version"] if row else 0
    assert [revision["version"] for revision in shown] == list(range(version, 0, -1))
    assert row is None or said(row) == said(shown[0]), "the current row and the newest revision say different things"
    assert [orphan["version"] for orphan in everything if orphan not in shown] in ([], [version + 1])
    assert shown[len(shown) - len(before) :] == before, "a revision changed"
    return shown


class Writer:
    """A command on its way, which may end anywhere and come again."""

    def __init__(self, versions: Versions, draft: Draft) -> None:
        self.start = partial(steps, versions, draft)
        self.running: Steps = self.start()
        self.result: Saved | Rejected | Contended | None = None
        self.crash()

    def step(self) -> None:
        """Make the next request, and go on to the one behind it."""
        try:
            next(self.running)
        except StopIteration as done:
            self.result = done.value
        except (Rejected, Contended) as error:
            self.result = error

    def crash(self) -> None:
        """End, and begin again from the start; nothing is asked for before the first step."""
        self.running = self.start()
        next(self.running)


def race(choose: Choose, versions: Versions, writers: list[Writer], *, crashes: int) -> None:
    """Let writers work in the order that is chosen, and crash where that is chosen, until all have an answer."""
    shown = history(versions)
    while working := [writer for writer in writers if writer.result is None]:
        options = [writer.step for writer in working]
        if crashes:
            options += [writer.crash for writer in working]
        act = choose(options)
        crashes -= act not in [writer.step for writer in working]
        act()
        shown = require_consistent(versions, shown)


@pytest.mark.parametrize("crashes", [0, 1])
@pytest.mark.parametrize("exists", [False, True], ids=["create", "change"])
def test_two_writers_leave_one_version_and_its_history_in_every_interleaving_and_whoever_crashes_where(
    monkeypatch: pytest.MonkeyPatch, *, exists: bool, crashes: int
) -> None:
    monkeypatch.setattr(sequential_history, "ATTEMPTS", 2)
    winners = set()

    def play(choose: Choose) -> None:
        versions = versions_of(f"thing {next(_names)}")
        if exists:
            save(versions, painting("it", "white"))
        drafts = [painting("it", colour, if_match=1 if exists else None) for colour in ("red", "green")]
        writers = [Writer(versions, draft) for draft in drafts]

        race(choose, versions, writers, crashes=crashes)

        answers = [answer_of(versions, draft) for draft in drafts]
        (won,) = [answer for answer in answers if isinstance(answer, Saved)]
        (lost,) = [answer for answer in answers if not isinstance(answer, Saved)]
        assert isinstance(lost, Stale if exists else PreconditionRequired)
        for writer, answer in zip(writers, answers, strict=True):
            assert isinstance(writer.result, (Contended, type(answer)))
        (newest, *_) = history(versions)
        assert said(newest) == said(won.row) == said(current(versions) or {})
        assert newest["version"] == 1 + exists
        winners.add(newest["colour"])

    runs = every_run_of(play)

    print(runs)
    assert winners == {"red", "green"}


def answer_of(versions: Versions, draft: Draft) -> Saved | Rejected:
    """Give what the client gets who asks again, with nobody else there."""
    try:
        return save(versions, draft)
    except Rejected as error:
        return error
