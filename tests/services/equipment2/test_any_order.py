"""Edits on both sides at once, delivered late, twice and in any order: both end alike, and so does the board."""

from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from services.equipment2 import mapping
from tests.support.examples import ON_TABLES
from tests.support.samples import NOW
from tests.support.services.machines import HALL, LEVELS, delete2, get2, machine, put2, roll_back2, versions2
from tests.support.services.versions import delete, get, put, roll_back, versions

ID: Final = "press-7"


class BothSides:
    """Edits, each upon what its side says now, and messages on their way."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.waiting: list[str] = []
        self.delivered: list[str] = []
        self.edits = 0

    def edit(self, side: int, what: str, which: int) -> None:
        """Edit on one side; what is refused is no edit."""
        current = (get if side == 1 else get2)(self.loop, ID)
        version = current.body["version"] if current.status == 200 else None
        answer = self._edit(side, what, which, version)
        self.edits += answer.status in {200, 201, 204}

    def _edit(self, side: int, what: str, which: int, version: int | None) -> Answer:
        name = f"{self.edits} on v{side}"
        match side, what:
            case 1, "put":
                return put(self.loop, ID, name, if_match=version)
            case 1, "delete":
                return delete(self.loop, ID, if_match=version)
            case 1, _:
                return roll_back(self.loop, ID, 1 + which, if_match=version)
            case _, "put":
                return put2(self.loop, ID, machine(name, [HALL, *LEVELS[: 1 + which]]), if_match=version)
            case _, "delete":
                return delete2(self.loop, ID, if_match=version)
        return roll_back2(self.loop, ID, 1 + which, if_match=version)

    def publish(self) -> None:
        self.loop._trigger()  # noqa: SLF001
        self.waiting += self.loop.new_messages()

    def deliver(self, which: int) -> None:
        if self.waiting:
            body = self.waiting.pop(which % len(self.waiting))
            self.delivered.append(body)
            self.loop.listen([body])

    def again(self, which: int) -> None:
        if self.delivered:
            self.loop.listen([self.delivered[which % len(self.delivered)]])

    def settle(self) -> None:
        self.publish()
        while self.waiting:
            self.deliver(0)
            self.publish()


DO: Final = ["put", "delete", "roll back", "publish", "deliver", "deliver", "again"]
STEPS = st.lists(
    st.tuples(st.sampled_from(DO), st.sampled_from([1, 2]), st.integers(0, 3), st.integers(0, 2)), max_size=16
)


@ON_TABLES
@given(STEPS, st.integers(-3, 3))
def test_both_sides_and_the_board_end_alike(loop: Loop, steps: list[tuple[str, int, int, int]], skew_ms: int) -> None:
    assert isinstance(loop, Loop)
    loop.clear()
    both, now = BothSides(loop), NOW
    for step, side, which, passes_ms in steps:
        now += passes_ms
        with frozen_clock(now + (skew_ms if side == 2 else 0)):
            match step:
                case "publish":
                    both.publish()
                case "deliver":
                    both.deliver(which)
                case "again":
                    both.again(which)
                case _:
                    both.edit(side, step, which)
    with frozen_clock(now):
        both.settle()

        assert len(both.delivered) == both.edits, "each edit is published once, and none comes back"
        for history in (versions(loop, ID), versions2(loop, ID)):
            assert [one["version"] for one in history] == list(range(len(history), 0, -1))
        first, again = get(loop, ID), get2(loop, ID)
        assert first.status == again.status
        if first.status == 200:
            assert without_version(first.body) == without_version(mapping.to_theirs(again.body))
        board = loop.request("GET /equipment/{id}/board", path={"id": ID})
        assert board.status == first.status
        if board.status == 200:
            assert (board.body["name"], board.body["location"]) == (first.body["name"], first.body["location"])


def without_version(said: Any) -> dict[str, Any]:  # noqa: ANN401
    return {name: value for name, value in said.items() if name != "version"}
