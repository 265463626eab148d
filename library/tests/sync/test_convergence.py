"""Edits on both sides, with clocks apart, delays, duplicates, redelivery and crashes: both sides end up the same."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime.errors import Rejected
from tests.support.crash_points import INTERRUPTIONS, Breaking, Interruption
from toys.pair import NAMES, Name, Side
from toys.two_sides import TwoSides


@pytest.fixture(scope="module", params=[False, True], ids=["rows", "histories"])
def sides(request: pytest.FixtureRequest) -> Iterator[TwoSides]:
    with TwoSides(keeps_history=request.param) as sides:
        yield sides


class Broken(NamedTuple):
    """Which call is broken, and how; 0 is none."""

    interruption: Interruption
    number: int

    def breaking(self) -> Breaking:
        """Return what breaks the call."""
        return Breaking(self.interruption, self.number)


class Edits(NamedTuple):
    """Somebody writes or deletes a note. clock_ms: of the service. lags: how many versions old is what they read."""

    side: Name
    clock_ms: int
    text: str
    deletes: bool
    lags: int
    broken: Broken


class Triggers(NamedTuple):
    """A service's trigger gets a batch of its stream; if it breaks, the batch comes again, later."""

    side: Name
    broken: Broken


class Listens(NamedTuple):
    """A service's listener gets some of what waits for it, or came before (`picks`), in any order."""

    side: Name
    picks: list[int]
    broken: Broken


NAMED = st.sampled_from(NAMES)
BROKEN = st.builds(Broken, st.sampled_from(INTERRUPTIONS), st.integers(0, 3))
EDITS = st.builds(
    Edits, NAMED, st.integers(1, 6), st.sampled_from("abc"), st.booleans(), st.sampled_from([0, 0, 0, 1]), BROKEN
)
TRIGGERS = st.builds(Triggers, NAMED, BROKEN)
LISTENS = st.builds(Listens, NAMED, st.lists(st.integers(0, 9), min_size=1, max_size=4), BROKEN)


class Run:
    """A run of the two services: what waits in the queue of each, and what came."""

    def __init__(self, sides: TwoSides) -> None:
        sides.clear()
        self.sides = sides
        self.records: dict[Name, list[dict[str, Any]]] = {name: [] for name in NAMES}
        self.waiting: dict[Name, list[str]] = {name: [] for name in NAMES}
        self.came: dict[Name, list[str]] = {name: [] for name in NAMES}

    def do(self, step: Edits | Triggers | Listens) -> None:
        """Do one step; a process that is killed leaves what it has done."""
        side = self.sides.sides[step.side]
        match step:
            case Edits():
                self._edit(side, step)
            case Triggers():
                self._trigger(side, step.broken.breaking())
            case Listens():
                queue = [*self.waiting[side.name], *self.came[side.name]]
                if queue:
                    self._listen(side, [queue[pick % len(queue)] for pick in step.picks], step.broken.breaking())

    def settle(self) -> None:
        """Let everything come, the oldest last, and once more what came before."""
        for _ in range(3):
            for side in self.sides.sides.values():
                self._trigger(side, Breaking.nothing())
            for side in self.sides.sides.values():
                self._listen(side, [*self.came[side.name], *self.waiting[side.name][::-1]], Breaking.nothing())
        assert not any(self.waiting.values())

    def _edit(self, side: Side, step: Edits) -> None:
        row = self.sides.row(side)
        version = row["version"] - step.lags if row is not None and "deleted" not in row else None
        said = {"text": step.text} if side.name == "old" else {"lines": [step.text]}
        command = partial(side.put, "n", said) if not step.deletes else partial(side.delete, "n")
        send = partial(_or_refused, partial(command, now_ms=step.clock_ms, if_match=version))
        # Who gets no answer sends it again, and gets the first answer or a refusal.
        if step.broken.breaking().interrupt(send) is None:
            send()

    def _trigger(self, side: Side, breaking: Breaking) -> None:
        self.records[side.name] += self.sides.records(side)
        done = breaking.interrupt(partial(self._published, side))
        if done is None:
            self.waiting[side.other.name] += self.sides.trigger(side, [])  # what it had published before
        else:
            self.waiting[side.other.name] += done
            self.records[side.name] = []

    def _published(self, side: Side) -> list[str] | None:
        try:
            return self.sides.trigger(side, self.records[side.name])
        except Exception:  # noqa: BLE001  what a handler raises brings its batch back
            return None

    def _listen(self, side: Side, bodies: list[str], breaking: Breaking) -> None:
        failed = breaking.interrupt(partial(self.sides.listen, side, bodies))
        came = [] if failed is None else [body for body in bodies if body not in failed]
        self.came[side.name] += came
        self.waiting[side.name] = [body for body in self.waiting[side.name] if body not in came]


def _or_refused(send: partial[Any]) -> bool | None:
    """Return whether a command was accepted; None: nobody knows."""
    try:
        send()
    except Rejected:
        return False
    except Exception:  # noqa: BLE001  the answer was lost
        return None
    return True


@given(steps=st.lists(EDITS | TRIGGERS | LISTENS, max_size=24))
def test_both_sides_end_up_the_same_and_nothing_is_lost(
    sides: TwoSides, steps: list[Edits | Triggers | Listens]
) -> None:
    run = Run(sides)
    for step in steps:
        run.do(step)
    run.settle()

    made = sides.edits["old"] + sides.edits["new"]
    assert sides.is_same()
    sides.require_histories()
    said = sides.said(sides.old)
    assert (said[0] if said else None) == max(made, default=None)
    for side in sides.sides.values():
        # Each edit of a service has another time, was published under one id, and never by the other service.
        assert len({*sides.edits[side.name]}) == len(sides.edits[side.name])
        assert sorted(sides.published_by(side).values()) == sorted(sides.edits[side.name])
        # What did not cross was overtaken: there was a newer one when it came, made here or crossed before it.
        lost = {*sides.edits[side.other.name]} - {*sides.crossed[side.name]}
        newest = max(sides.edits[side.name] + sides.crossed[side.name], default=None)
        assert all(newest is not None and newest > edit for edit in lost)
