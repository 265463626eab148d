"""Commands that are broken at every call to AWS that they make, and sent again by their clients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.support.crash_points import INTERRUPTIONS, Breaking, broken_at_every_call
from tests.support.samples import NOW

LATER = NOW + 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A command, what came before it, the status of its answer, and how many facts it publishes."""

    name: str
    route: str
    before: tuple[Callable[[Loop, str], object], ...] = ()
    command: Callable[[Loop, str], Answer]
    status: int
    facts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The commands of a service, over things that each have an id of their own.

    seen: all that clients can read of a thing. published: the facts about it since the last time.
    said: what an answer says but for its status, whatever the thing is called.
    timeless: what was seen, without the times at which commands were done.
    upserts: routes whose retry answers 201 or 200, whichever the first answer was.
    now_ms: when the command is sent; what came before it happens at `NOW`.
    """

    seen: Callable[[Loop, str], Any]
    published: Callable[[Loop, str], Sequence[object]]
    said: Callable[[Answer, str], Any]
    timeless: Callable[[Any], Any]
    upserts: frozenset[str]
    now_ms: int = NOW

    def check(self, loop: Loop, scenario: Scenario) -> None:
        """Check that a broken command is done wholly or not at all, and that a retry leaves it done once."""
        clean = _called(scenario, "clean")
        self._prepare(loop, scenario, clean)
        before = self.seen(loop, clean)
        answer = self._send(loop, scenario, clean, Breaking.nothing())
        after = self.seen(loop, clean)
        assert answer is not None
        assert answer.status == scenario.status
        assert len(self.published(loop, clean)) == scenario.facts
        for interruption in INTERRUPTIONS:
            run = partial(self._broken_run, loop, scenario)
            runs = 0
            for breaking, broken in broken_at_every_call(interruption, run):
                where = _called(scenario, breaking)
                assert broken is None if interruption.killed else broken and broken.status == 500, where
                self._check_retry(loop, scenario, where, seen=(before, after), said=self.said(answer, clean))
                runs += 1
            assert runs

    def _broken_run(self, loop: Loop, scenario: Scenario, breaking: Breaking) -> Answer | None:
        id_ = _called(scenario, breaking)
        self._prepare(loop, scenario, id_)
        return self._send(loop, scenario, id_, breaking)

    def _check_retry(self, loop: Loop, scenario: Scenario, id_: str, *, seen: tuple[Any, Any], said: object) -> None:
        after = seen[1]
        halfway = self.seen(loop, id_)
        assert halfway in seen, id_
        facts = self.published(loop, id_)
        assert len(facts) == (scenario.facts if halfway == after else 0), id_

        with frozen_clock(LATER):
            again = scenario.command(loop, id_)

        assert again.status in ({200, 201} if scenario.route in self.upserts else {scenario.status}), id_
        assert self.said(again, id_) == said, id_
        finally_seen = self.seen(loop, id_)
        assert finally_seen == after if halfway == after else self.timeless(finally_seen) == self.timeless(after), id_
        assert len([*facts, *self.published(loop, id_)]) == scenario.facts, id_

    def _prepare(self, loop: Loop, scenario: Scenario, id_: str) -> None:
        """Do what comes before the command; its facts are published."""
        for request in scenario.before:
            request(loop, id_)
        self.published(loop, id_)

    def _send(self, loop: Loop, scenario: Scenario, id_: str, breaking: Breaking) -> Answer | None:
        with frozen_clock(self.now_ms):
            return breaking.interrupt(partial(scenario.command, loop, id_))


def _called(scenario: Scenario, how: object) -> str:
    """Return the id of the thing of a run; it says which run it is."""
    return f"{scenario.name}, {how}".replace(" ", "-")
