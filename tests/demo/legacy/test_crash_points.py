"""The adapter and the listener end anywhere, and are called again: both sides end alike."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest

from andon.events.publish import NotPublished
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, Killed, broken_at_every_call
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from demo.legacy import adapter
from demo.legacy.beside import Beside
from tests.support.legacy import ID, connect, fresh, insert, prepare, require_in_step, update
from tests.support.samples import NOW
from tests.support.services.machines import get2, machine, put2

T = TypeVar("T")


class Breakable(sqlite3.Connection):
    """Ends the process before, or after, statement `number`, counted from 1."""

    number, made, after = 0, 0, False

    def execute(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401
        return self._counted(lambda: super(Breakable, self).execute(*arguments))

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:  # noqa: ANN401
        return self._counted(lambda: super(Breakable, self).executemany(*arguments))

    def _counted(self, do: Callable[[], T]) -> T:
        self.made += 1
        if self.made != self.number:
            return do()
        if self.after:
            do()
        raise Killed


def edit_both(loop: Loop, beside: Beside, newer: str) -> None:
    """Let there be an edit of each side to be brought over."""
    insert(beside)
    beside.settle()
    with frozen_clock(NOW + 5):
        put2(loop, ID, machine("ours"), if_match=1)
        beside.publish()
    with frozen_clock(NOW + (9 if newer == "theirs" else 2)):
        update(beside, "theirs")


def bring_over(beside: Beside) -> None:
    messages = list(beside.waiting)
    beside.publish()
    beside.deliver(messages)


@pytest.mark.parametrize(("newer", "statements"), [("theirs", 5), ("ours", 9)])
@pytest.mark.parametrize("when", ["before", "after"])
def test_the_adapter_may_end_at_any_statement(
    loop_in_memory: Loop, tmp_path: Path, when: str, newer: str, statements: int
) -> None:
    for number in count(1):
        path = tmp_path / f"{number}.db"
        breakable = Breakable(path, isolation_level=None)
        prepare(breakable)
        beside = fresh(loop_in_memory, breakable)
        edit_both(loop_in_memory, beside, newer)

        breakable.made, breakable.number, breakable.after = 0, number, when == "after"
        with suppress(Killed):
            bring_over(beside)
        breakable.close()  # as the process ended: what was not committed is gone
        beside.connection = connect(path)
        beside.settle()

        require_in_step(loop_in_memory, beside)
        assert get2(loop_in_memory, ID).body["name"] == newer
        if breakable.made < number:
            break
    assert breakable.made == statements


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_the_adapter_and_the_listener_may_end_at_any_call(loop_in_memory: Loop, interruption: Interruption) -> None:
    def run(breaking: Breaking) -> None:
        beside = fresh(loop_in_memory)
        edit_both(loop_in_memory, beside, "theirs")
        breaking.interrupt(lambda: _publish(beside))
        beside.publish()
        messages = list(beside.waiting)
        breaking.interrupt(lambda: beside.deliver(messages))
        beside.settle()
        require_in_step(loop_in_memory, beside)

    broken = {breaking.broken for breaking, _ in broken_at_every_call(interruption, run)}

    assert broken == {"PutEvents", "TransactWriteItems"}


def _publish(beside: Beside) -> None:
    with suppress(NotPublished):  # the next call publishes it
        adapter.publish_edits(beside.connection)
