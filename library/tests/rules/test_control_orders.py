"""A control service decides the same in whatever order its events arrive within the hold-back."""

import random
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from andon.events.domain_event import DomainEvent
from andon.testing.environment import frozen_clock
from andon.testing.examples import ON_TABLES
from andon.testing.orders import cut_into_batches
from toys.clock import NOW
from toys.toy_control import (
    BROKEN,
    CONTROL,
    FORGOTTEN,
    FORGOTTEN_MS,
    HOLD_BACK_MS,
    LABEL,
    NOISY,
    SWEPT_MS,
    Keeper,
    knocked,
    mended,
    room_of,
    rules_of,
    thing_of,
)

RULES = CONTROL._replace(rules=rules_of(LABEL, BROKEN, NOISY, FORGOTTEN))

KNOCKS = tuple(NOW - seconds * 1000 for seconds in (50, 40, 30, 25, 20))
MENDED, OTHER = NOW - 39_000, NOW - 24_000

THING = sorted(
    [
        f"broken#{KNOCKS[2]}",  # the first one since it was mended, which is the first of three
        f"forgotten#{KNOCKS[4]}",
        *(f"label#{knock}" for knock in KNOCKS),
    ]
)
ROOM = [f"noisy#{OTHER}", f"noisy#{KNOCKS[4]}"]

_runs = count(1)


def events_of(name: str) -> list[DomainEvent]:
    """Return the events of a thing knocked twice, mended, knocked three times, and of another one in the room."""
    other = knocked(f"{name}!", at=OTHER, room=f"room of {name}")
    return [*(knocked(name, at=at) for at in KNOCKS), mended(name, at=MENDED), other]


@settings(ON_TABLES, max_examples=10)
@given(st.randoms(use_true_random=False))
def test_decisions_are_the_same_in_any_order_and_however_often(keeper_of_module: Keeper, chance: random.Random) -> None:
    keeper, name = keeper_of_module, f"run {next(_runs)}"
    keeper.give(name, "Liz")
    events = [*events_of(name), *events_of(name)]
    chance.shuffle(events)
    batches = [*cut_into_batches(chance, events, 6)]
    arrivals = sorted(chance.choice([0, HOLD_BACK_MS, chance.randint(0, HOLD_BACK_MS)]) for _ in batches)
    published = []

    for batch, arrived in zip(batches, arrivals, strict=True):
        with frozen_clock(NOW + arrived):
            keeper.listen(*batch)
            published += keeper.react(RULES)
    for now_ms in (NOW + HOLD_BACK_MS + SWEPT_MS, NOW + FORGOTTEN_MS + SWEPT_MS):
        published += keeper.sweep(now_ms, RULES)

    assert keeper.decisions(thing_of(name)) == THING
    assert keeper.decisions(room_of(name)) == ROOM
    assert keeper.dues() == []
    assert len({event["id"] for event in published}) == len(published) == len(THING) + len(ROOM) + 1  # the other's
