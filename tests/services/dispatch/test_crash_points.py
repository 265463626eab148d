"""Listener, trigger and sweep are broken at every call to AWS that they make for an episode, and run again."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pytest

from andon.events.domain_event import ENVELOPE
from andon.runtime.errors import CallFailed
from services.dispatch.fact_types import ENTITY_OF
from tests.support.crash_points import INTERRUPTIONS, Breaking, Interruption, Killed, broken_at_every_call
from tests.support.dispatch import model
from tests.support.dispatch.floor import OPERATORS, SUPERVISOR, ComesAgain, Floor, report_body
from tests.support.dispatch.model import MINUTE, Acknowledgement, Decided, Report
from tests.support.samples import NOW

PRESS = "press-7"
SECOND = 1_000
DAY = 24 * 60 * MINUTE
END_MS = NOW + 2 * 60 * MINUTE

# All that can be decided is: an operator for each, at risk, escalated, silent, back, and silent for good.
REPORTS = [
    Report(NOW, "WARNING1", NOW),
    Report(NOW + 5 * MINUTE, "ERROR", NOW + 5 * MINUTE),
    Report(NOW + 36 * MINUTE, "ERROR", NOW + 36 * MINUTE),
    Report(NOW + 36 * MINUTE + SECOND, "NORMAL", NOW + 36 * MINUTE),
]
ACKNOWLEDGED = Acknowledgement(NOW + 5 * MINUTE, NOW + 16 * MINUTE, "ERROR")


@dataclass(frozen=True, slots=True)
class Ending:
    """What there is at the end: what was decided; what was published, by event id; what is in the store."""

    decided: list[Decided]
    published: list[tuple[str, str]]
    stored: list[tuple[str, int]]


class Story:
    """The episode on its way through dispatch; what breaks is tried again a second later."""

    def __init__(self, floor: Floor, breaking: Breaking | None = None) -> None:
        self._floor = floor
        self._breaking = breaking or Breaking.nothing()
        self._invocations: list[Callable[[], None]] = []

    def happen(self) -> Ending:
        """Play the whole episode; return its ending."""
        floor = self._floor
        floor.restart(PRESS)
        self._report(REPORTS[:1])
        self._report(REPORTS[1:2])
        self._wait_until(ACKNOWLEDGED.at_ms)
        floor.acknowledge(PRESS, "ERROR", ACKNOWLEDGED.log_ms)
        self._settle()
        self._report(REPORTS[2:])
        self._wait_until(END_MS)
        return self.ending()

    def happen_again(self) -> None:
        """Deliver everything once more, and go on until nothing is due."""
        invocations, self._invocations = self._invocations, []
        for invoke in invocations:
            invoke()
        self._settle()
        self._wait_until(END_MS + DAY)

    def ending(self) -> Ending:
        """Return what there is now."""
        rows = self._floor.table.rows(f"Equipment#{PRESS}")
        stored = sorted((row["event"]["type"], row["event"]["timestamp"]) for row in rows if "event" in row)
        return Ending(self._floor.decided(PRESS), published(self._floor), stored)

    def _report(self, reports: Sequence[Report]) -> None:
        self._wait_until(reports[0].arrived_ms)
        self._insist(partial(self._floor.deliver, [report_body(PRESS, report) for report in reports]))
        self._settle()

    def _wait_until(self, at_ms: int) -> None:
        """Move the clock; what becomes due on the way is swept."""
        floor = self._floor
        while (due := floor.due_times()) and due[0] <= at_ms:
            floor.now_ms = max(floor.now_ms, due[0])
            self._insist(floor.sweep)
            self._settle()
        floor.now_ms = max(floor.now_ms, at_ms)

    def _settle(self) -> None:
        while records := self._floor.table.new_records():
            self._insist(partial(self._floor.react, records))

    def _insist(self, invoke: Callable[[], None]) -> None:
        """Invoke a function, again if it breaks, as queue, stream and schedule do."""
        self._invocations.append(invoke)
        try:
            with self._breaking.watching():
                invoke()
        except (Killed, ComesAgain, CallFailed):
            self._floor.now_ms += SECOND
            invoke()


def published(floor: Floor) -> list[tuple[str, str]]:
    """Return what was published, once for each event id: the type and what it says."""
    details = {detail["id"]: detail for entry in floor.table.published for detail in [json.loads(entry["Detail"])]}
    said = [{name: detail[name] for name in detail if name not in ENVELOPE} for detail in details.values()]
    types = [detail["type"] for detail in details.values()]
    return sorted((kind, json.dumps(entities, sort_keys=True)) for kind, entities in zip(types, said, strict=True))


def test_the_episode_has_every_kind_of_decision_in_it_and_ends_as_in_the_model(floor: Floor) -> None:
    ending = Story(floor).happen()

    operator = next(one.says for one in ending.decided if one.says in OPERATORS)
    assert ending.decided == model.decisions(REPORTS, [ACKNOWLEDGED], operator=operator, supervisor=SUPERVISOR)
    assert {kind for kind, _ in ending.published} == ENTITY_OF.keys()
    assert len(ending.published) == len(ending.decided) + 1  # and the acknowledgement
    assert len(ending.stored) == len(ending.published) + len(REPORTS)


@pytest.mark.parametrize("interruption", INTERRUPTIONS, ids=str)
def test_an_episode_that_is_broken_at_any_call_ends_as_if_it_had_not_been(
    floor: Floor, interruption: Interruption, pauses: list[float]
) -> None:
    whole = Story(floor).happen()

    calls = []
    for breaking, ending in broken_at_every_call(interruption, lambda breaking: Story(floor, breaking).happen()):
        assert ending == whole, f"{breaking}: {breaking.broken}"
        calls.append(breaking.broken)
    assert {"PutItem", "Query", "GetItem", "PutEvents", "DeleteItem"} <= set(calls)
    assert bool(pauses) == (not interruption.killed)  # only publishing is tried again where it is broken
    print(f"{interruption}: {len(calls)} calls")  # noqa: T201  a figure for a person


def test_an_episode_that_is_delivered_again_as_a_whole_changes_nothing(floor: Floor) -> None:
    story = Story(floor)
    whole = story.happen()

    story.happen_again()

    assert story.ending() == whole
