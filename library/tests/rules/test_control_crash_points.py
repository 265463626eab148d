"""A control service is broken at every call to AWS that it makes; what was broken off is delivered again."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.rules import due
from andon.rules.due import partition_of
from andon.rules.sweep import sweep
from andon.testing.crash_points import INTERRUPTIONS, Breaking, Interruption, Killed, broken_at_every_call
from andon.testing.environment import LocalContext, frozen_clock
from toys.clock import NOW
from toys.toy_control import CONTROL, LABEL, NOISY, SWEPT_MS, VARIABLE, Keeper, knocked, room_of, rules_of, thing_of

# One rule decides at once, under the key of the event; the other waits, under another key, and its fact is stored.
RULES = CONTROL._replace(rules=rules_of(LABEL, NOISY), remembers={"room-noisy": lambda event: event.partition_key})

EXPECTED = [
    ("room-noisy", f"decision#noisy#{NOW + 1}"),
    ("thing-labelled", f"decision#label#{NOW}"),
    ("thing-labelled", f"decision#label#{NOW + 1}"),
]

TICKS = (NOW + SWEPT_MS + 1, NOW + SWEPT_MS + 60_000)
LATER = NOW + SWEPT_MS + 120_000


@dataclass(slots=True)
class Run:
    """Two things of one room are knocked; published: (type, decision) -> the ids of its events."""

    keeper: Keeper
    name: str
    breaking: Breaking
    published: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    records: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for one in self.names:
            self.keeper.give(one, "Liz")

    @property
    def names(self) -> tuple[str, str]:
        return self.name, f"{self.name}!"

    @property
    def events(self) -> list[DomainEvent]:
        room = f"room of {self.name}"
        return [knocked(one, at=NOW + number, room=room) for number, one in enumerate(self.names)]

    def whole(self) -> None:
        """Collect, correlate, evaluate, sweep, publish."""
        self._invoke(partial(self.keeper.listen, *self.events))
        self._react()
        for now_ms in TICKS:
            with frozen_clock(now_ms):
                self._tick()

    def redelivered(self) -> None:
        """Deliver all of that a second time."""
        everything = self.records[:]
        with frozen_clock(LATER):
            self._invoke(partial(self.keeper.listen, *self.events))
            self._invoke(partial(self._trigger, everything))
            self._react()
        with frozen_clock(LATER + SWEPT_MS):
            self._tick()

    def kept(self) -> dict[str, list[str]]:
        """Return all rows, without the names of things and the ids of own facts, which differ from run to run."""
        room = room_of(self.name)
        places = [*map(thing_of, self.names), room, f"{room}#noise", partition_of(0)]
        return {self._nameless(place): [self._said(row) for row in self.keeper.partition(place)] for place in places}

    def _said(self, row: dict[str, Any]) -> str:
        if row.get("source") == "keeper":
            row = {"own": row["event"]["type"], "decision": row["event"]["decision"]}
        return self._nameless(json.dumps(row, sort_keys=True))

    def _nameless(self, text: str) -> str:
        return text.replace(self.name, "it")

    def _tick(self) -> None:
        self._invoke(partial(sweep, LocalContext("keeper-sweep"), control=RULES, shards=[0]))
        self._react()

    def _react(self) -> None:
        while records := self.keeper.new_records(VARIABLE):
            self.records += records
            self._invoke(partial(self._trigger, records))
        for event in self.keeper.published():
            self.published[event["type"], event["decision"]["what"]].add(event["id"])

    def _trigger(self, records: list[dict[str, Any]]) -> object:
        return self.keeper.trigger(records, RULES)["batchItemFailures"]

    def _invoke(self, deliver: Callable[[], object]) -> None:
        """Deliver until nothing has to come again: what was written on the way stays written."""
        for _ in range(3):
            with self.breaking.watching():
                try:
                    comes_again = bool(deliver())
                except (Killed, Exception):  # noqa: BLE001  whatever it is, Lambda delivers it again
                    comes_again = True
            if not comes_again:
                return
        raise AssertionError


@pytest.fixture(name="keeper")
def empty_keeper() -> Iterator[Keeper]:
    """A control service, at `NOW`, with an empty table."""
    with Keeper() as keeper, frozen_clock(NOW):
        yield keeper


@pytest.fixture(autouse=True)
def one_shard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Break one query for due rows, not sixteen that are all the same."""
    monkeypatch.setattr(due, "SHARDS", 1)


@pytest.mark.usefixtures("pauses")
@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_a_service_that_is_broken_at_any_call_makes_the_same_decisions_and_publishes_each_under_one_id(
    keeper: Keeper, interruption: Interruption
) -> None:
    clean = Run(keeper, f"{interruption} nowhere", Breaking.nothing())
    clean.whole()
    expected = clean.kept()
    assert sorted(clean.published) == EXPECTED
    assert expected["due#0"] == []

    def whole(breaking: Breaking) -> Run:
        run = Run(keeper, str(breaking), breaking)
        run.whole()
        return run

    broken = []
    for breaking, run in broken_at_every_call(interruption, whole):
        where = f"{run.name}: {breaking.broken}"
        broken.append(breaking.broken)
        assert run.kept() == expected, where
        run.redelivered()
        assert run.kept() == expected, where
        assert sorted(run.published) == EXPECTED, where
        assert {len(ids) for ids in run.published.values()} == {1}, where

    assert set(broken) == {"PutItem", "Query", "GetItem", "PutEvents", "DeleteItem"}
    assert len(broken) > 20
