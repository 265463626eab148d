"""A crossing that is broken at any call, and one between whose calls somebody writes: both sides end up the same."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, broken_at_every_call, intruding
from toys.pair import Side
from toys.two_sides import TwoSides

OLDER, SAME, NEWER = 4, 5, 6


@pytest.fixture(scope="module", params=[False, True], ids=["rows", "histories"])
def of_module(request: pytest.FixtureRequest) -> Iterator[TwoSides]:
    with TwoSides(keeps_history=request.param) as sides:
        yield sides


@pytest.fixture
def sides(of_module: TwoSides, pauses: list[float]) -> TwoSides:  # noqa: ARG001
    of_module.clear()
    return of_module


def put(side: Side, text: str, *, now_ms: int, if_match: int | None = None) -> None:
    """Write a note in the words of its service."""
    side.put("n", {"text": text} if side.name == "old" else {"lines": [text]}, now_ms=now_ms, if_match=if_match)


def trigger_until_done(sides: TwoSides, side: Side, breaking: Breaking) -> list[str]:
    """Run a trigger on what is new; if it broke, the batch comes again."""
    records, published = sides.records(side), list[str]()
    for _ in range(2):
        bodies = breaking.interrupt(lambda: _unless_unanswered(lambda: sides.trigger(side, records)))
        published += sides.world.new_messages() if bodies is None else bodies
        if bodies is not None:
            break
    return published


def _unless_unanswered(do: Callable[[], list[str]]) -> list[str] | None:
    try:
        return do()
    except Exception:  # noqa: BLE001  what a handler raises brings its batch back
        return None


def listen_until_done(sides: TwoSides, side: Side, bodies: list[str], breaking: Breaking) -> None:
    """Run a listener on a batch; what failed, or all of it if it was killed, comes again."""
    for _ in range(2):
        again = breaking.interrupt(partial(sides.listen, side, bodies))
        bodies = bodies if again is None else again
        if not bodies:
            break


@pytest.mark.parametrize("here", [OLDER, SAME, NEWER])
@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_what_is_broken_at_any_call_ends_up_the_same(sides: TwoSides, interruption: Interruption, here: int) -> None:
    def run(breaking: Breaking) -> None:
        sides.clear()
        put(sides.old, "a", now_ms=SAME)
        put(sides.new, "b", now_ms=here)
        waiting = {side.name: trigger_until_done(sides, side, breaking) for side in sides.sides.values()}
        for side in sides.sides.values():
            listen_until_done(sides, side.other, waiting[side.name], breaking)
        for side in sides.sides.values():
            assert trigger_until_done(sides, side, breaking) == []
        _require_same(sides)

    broken = [breaking.broken for breaking, _ in broken_at_every_call(interruption, run)]
    assert len(broken) >= 4  # two triggers, and a write of each listener at least


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("at", [OLDER, SAME, NEWER])
def test_who_writes_between_two_calls_of_a_crossing_loses_nothing(sides: TwoSides, number: int, at: int) -> None:
    put(sides.new, "b", now_ms=1)
    sides.settle()
    put(sides.old, "a", now_ms=SAME, if_match=1)
    bodies = sides.trigger(sides.old, sides.records(sides.old))

    def intrude() -> None:
        row = sides.row(sides.new)
        put(sides.new, "c", now_ms=at, if_match=row["version"] if row else None)

    with intruding(number, intrude):
        assert sides.listen(sides.new, bodies) == []
    sides.settle()

    _require_same(sides)


def test_another_crossing_of_the_same_millisecond_between_two_calls_is_not_overwritten(sides: TwoSides) -> None:
    put(sides.new, "b", now_ms=SAME)
    put(sides.old, "a", now_ms=SAME)
    put(sides.old, "later", now_ms=NEWER, if_match=1)
    first, second = sides.trigger(sides.old, sides.records(sides.old))

    with intruding(2, lambda: sides.listen(sides.new, [first])):
        sides.listen(sides.new, [second])
    sides.settle()

    row = sides.row(sides.new)
    assert row is not None
    assert (row["version"], row["lines"]) == (3, ["later"])
    _require_same(sides)


def test_a_life_that_began_again_between_two_calls_is_not_taken_for_the_one_before(sides: TwoSides) -> None:
    if sides.new.keeps_history:
        return
    put(sides.new, "b", now_ms=1)
    sides.settle()
    put(sides.old, "a", now_ms=SAME, if_match=1)
    bodies = sides.trigger(sides.old, sides.records(sides.old))

    def reap_and_begin_again() -> None:
        sides.new.table.delete({"pk": "n", "sk": "-"})
        put(sides.new, "again", now_ms=9)

    with intruding(2, reap_and_begin_again):
        sides.listen(sides.new, bodies)

    said = sides.said(sides.new)
    assert said is not None
    assert said[2] == ("again",)


def test_a_crossing_between_read_and_write_of_a_person_is_a_412_and_not_lost(sides: TwoSides) -> None:
    put(sides.new, "b", now_ms=1)
    sides.settle()
    put(sides.old, "a", now_ms=SAME, if_match=1)
    bodies = sides.trigger(sides.old, sides.records(sides.old))

    with intruding(1, lambda: sides.listen(sides.new, bodies)), pytest.raises(Exception, match="another version"):
        put(sides.new, "c", now_ms=9, if_match=1)
    sides.settle()

    _require_same(sides)
    said = sides.said(sides.new)
    assert said is not None
    assert said[2] == ("a",)


def _require_same(sides: TwoSides) -> None:
    """Check that both say the same by the newest edit, and that each edit was published once, where it was made."""
    assert sides.is_same()
    said = sides.said(sides.old)
    assert said is not None
    assert said[0] == max(sides.edits["old"] + sides.edits["new"])
    sides.require_histories()
    for side in sides.sides.values():
        assert sorted(sides.published_by(side).values()) == sorted(sides.edits[side.name])
