"""However the events of an episode arrive within the hold-back, the decisions are the same, each published once."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import pytest

from andon.testing.orders import cut_into_batches, with_duplicates
from tests.support.dispatch import model
from tests.support.dispatch.floor import OPERATORS, SUPERVISOR, Floor, Stream, report_body
from tests.support.dispatch.model import HOLD_BACK, MINUTE, Acknowledgement, Decided, Report
from tests.support.samples import NOW

PRESS = "press-7"


@dataclass(frozen=True, slots=True)
class Said:
    """A state that was reported, so many minutes into the story; again: under another event id."""

    minute: float
    state: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """An acknowledgement of what was reported at another minute."""

    minute: float
    state: str
    of: float


Happening = Said | Seen

EPISODES: dict[str, tuple[Happening, ...]] = {
    "acknowledged on the way from warning to error": (
        Said(0, "WARNING1"),
        Said(4, "WARNING2"),
        Said(6, "ERROR"),
        Seen(8, "WARNING2", of=4),
        Said(17, "NORMAL"),
    ),
    "escalated, though the one before was acknowledged": (
        Said(0, "WARNING1"),
        Seen(1, "WARNING1", of=0),
        Said(2, "NORMAL"),
        Said(3, "ERROR"),
        Said(17, "ERROR"),
    ),
    "reported twice under different ids": (
        Said(0, "WARNING1"),
        Said(0, "WARNING1", again=True),
        Said(1, "WARNING1"),
        Said(1, "WARNING1", again=True),
        Said(90, "NORMAL"),
    ),
    "of one millisecond": (
        Said(0, "NORMAL"),
        Said(0, "WARNING1"),
        Said(0, "ERROR"),
        Said(30, "NORMAL"),
    ),
    "silent in between, and at last": (
        Said(0, "ERROR"),
        Said(31, "WARNING1"),
        Said(46, "ERROR"),
        Said(76, "WARNING1"),
        Said(106.0001, "NORMAL"),
    ),
}


def expected(episode: Sequence[Happening], operator: str) -> list[Decided]:
    reports = [Report(ms(said.minute), said.state, NOW) for said in episode if isinstance(said, Said)]
    seen = [Acknowledgement(ms(seen.of), ms(seen.minute), seen.state) for seen in episode if isinstance(seen, Seen)]
    return model.decisions(reports, seen, operator=operator, supervisor=SUPERVISOR)


def ms(minute: float) -> int:
    return NOW + round(minute * MINUTE)


def message(said: Said) -> str:
    report = Report(ms(said.minute), said.state, 0)
    return report_body(PRESS, report, f"again {report.name}" if said.again else None)


class Delivery:
    """A random way for the events of an episode to arrive, in a given order, within the hold-back."""

    def __init__(self, floor: Floor, chance: random.Random) -> None:
        self._floor = floor
        self._chance = chance
        self._stream = Stream(floor, chance)
        self._seen: dict[Seen, list[dict[str, Any]]] = {}

    def play(self, order: Sequence[Happening]) -> None:
        """Deliver everything in `order`, each event twice, and run until nothing is due."""
        self._prepare(order)
        messages = with_duplicates(self._chance, order)
        start_ms = max(ms(one.minute) for one in order)
        offsets = sorted(self._chance.choice([0, HOLD_BACK, self._chance.randint(0, HOLD_BACK)]) for _ in messages)
        for batch in cut_into_batches(self._chance, messages, 4):
            self._floor.now_ms = start_ms + offsets[0]
            offsets = offsets[len(batch) :]
            self._deliver(batch)
            self._stream.flow()
            if self._chance.random() < 0.2:
                self._floor.sweep()
        self._stream.run_out()

    def _prepare(self, order: Sequence[Happening]) -> None:
        floor = self._floor
        floor.restart(PRESS)
        for seen in (one for one in order if isinstance(one, Seen)):
            floor.now_ms = ms(seen.minute)
            floor.acknowledge(PRESS, seen.state, ms(seen.of))
            self._seen[seen] = floor.table.new_records()

    def _deliver(self, batch: Sequence[Happening]) -> None:
        self._floor.deliver([message(one) for one in batch if isinstance(one, Said)])
        for seen in (one for one in batch if isinstance(one, Seen)):
            # What people did comes by the stream of the table that it was written to.
            self._floor.react(self._seen[seen])


def decided_in(floor: Floor, order: Sequence[Happening], chance: random.Random) -> list[Decided]:
    """Play an episode; return what was decided, which is exactly what was published, each under one id."""
    Delivery(floor, chance).play(order)
    decided = floor.decided(PRESS)
    assert floor.published(PRESS) == decided
    return decided


@pytest.mark.parametrize("name", list(EPISODES))
def test_every_permutation_of_an_episode_ends_in_the_same_decisions_each_published_under_one_id(
    floor: Floor, name: str
) -> None:
    episode = EPISODES[name]
    chance = random.Random(name)  # noqa: S311  the same ways at every run
    in_order = decided_in(floor, episode, chance)
    operator = next(one.says for one in in_order if one.says in OPERATORS)
    assert in_order == expected(episode, operator)

    for order in permutations(episode):
        assert decided_in(floor, order, chance) == in_order, order
