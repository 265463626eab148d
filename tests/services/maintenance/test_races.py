"""Whoever plans, moves, starts and finishes at once, killed between any calls: one order, one history, one end.

Clients race for orders of a machine, which moves between factories. A request is cut in two by somebody else's, before
any of its calls, or broken at any call and sent again. The facts of what became of it are then delivered in any order,
some twice: agenda and board show the same.
"""

import json
import random
import re
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, NamedTuple

import pytest

from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.crash_points import INTERRUPTIONS, Breaking, intruding
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from tests.services.maintenance.requests import FINISH, GET, HISTORY, NOW, PLAN, START, register, send
from tests.services.maintenance.samples import ORDER
from tests.support.samples import body_of, fact

KINDS: Final = ("grease", "oil")
FACTORIES: Final = ("gdl-1", "gdl-2")
DAYS: Final = [f"2026-01-{day:02}" for day in range(9, 13)]
REQUESTS: Final = 14
SEEDS: Final = 16
ORDERS: Final = 3
TODAY: Final = "2026-01-11"
TODAY_MS: Final = times.to_ms(f"{TODAY}T00:00:00Z")
OPEN: Final = ("started", "planned")
LIFE: Final = re.compile("(p+s?f?)?")
AGENDA: Final = "GET /factories/{factoryId}/agenda"
AGENDA_DAY: Final = f"{AGENDA}/{{date}}"
BOARD: Final = "GET /equipment/{id}/board"
MOST_CALLS: Final = 6  # of a request: the order twice, fence, history, current row, and one behind it

Said = dict[str, Any]


class Change(NamedTuple):
    """A request of somebody about an order; factory: the machine's, when it was sent first."""

    route: str
    kind: str
    actor: str
    body: Said | None
    if_match: int | None
    factory: str


class Race:
    """Some clients. answered: each change that was taken, with its answer; refused: each that was not."""

    def __init__(self, loop: Loop, chance: random.Random) -> None:
        self.loop, self.chance, self.now_ms = loop, chance, NOW
        self.answered: list[tuple[Change, Said]] = []
        self.refused: list[Change] = []
        self.unanswered: list[Change] = []
        self.known: dict[tuple[str, str], int] = {}
        self.factory = FACTORIES[0]
        self.minutes = iter(range(1, 999))  # each plan is another one, so that its revision tells whose it is

    def run(self) -> None:
        """Let clients ask for what they like, until each is answered; and let the machine move."""
        for number in range(10 * REQUESTS):
            if number >= REQUESTS and not self.unanswered:
                break
            self.now_ms += 1000
            with frozen_clock(self.now_ms):
                if self.chance.random() < 0.15:
                    self.move_machine()
                if self.unanswered and (number >= REQUESTS or self.chance.random() < 0.5):
                    self.ask(self.unanswered.pop(0))
                else:
                    self.ask(self.change())
        assert not self.unanswered

    def move_machine(self) -> None:
        self.factory = self.chance.choice(FACTORIES)
        moved = fact("equipment-updated", id=f"at {self.now_ms}", at=self.now_ms, factoryId=self.factory)
        self.loop.listen([body_of(moved)])

    def change(self) -> Change:
        """Return what somebody wants of an order, by the version that they have seen last."""
        kind, actor = self.chance.choice(KINDS), self.chance.choice(["pia", "paul"])
        route = self.chance.choices([PLAN, START, FINISH], weights=[8, 2, 1])[0]
        if route == PLAN:
            body = {"plannedFor": self.chance.choice(DAYS), "minutes": next(self.minutes)}
            return Change(PLAN, kind, actor, body, self.known.get((actor, kind)), self.factory)
        result = {"result": self.chance.choice(["done", "skipped"])} if route == FINISH else None
        return Change(route, kind, actor, result, None, self.factory)

    def ask(self, change: Change) -> None:
        """Send a request; somebody else may come in between, and may end in the middle."""
        if self.chance.random() < 0.5:
            with intruding(self.chance.randint(1, MOST_CALLS), lambda: self.attempt(self.change())):
                self.attempt(change)
        else:
            self.attempt(change)

    def attempt(self, change: Change) -> None:
        """Send a request; it may be broken at any call."""
        self.unanswered.append(change)  # also if it ends with somebody whom it came in between
        answer: Answer | None
        if self.chance.random() < 0.4:
            interruption, number = self.chance.choice(INTERRUPTIONS), self.chance.randint(1, MOST_CALLS)
            answer = Breaking(interruption, number, services=("dynamodb",)).interrupt(lambda: self.send(change))
        else:
            answer = self.send(change)
        if answer is not None and answer.status < 500:
            self.unanswered.remove(change)
            self.take_note(change, answer)

    def send(self, change: Change) -> Answer:
        return send(self.loop, change.route, change.body, if_match=change.if_match, kind=change.kind, by=change.actor)

    def take_note(self, change: Change, answer: Answer) -> None:
        """Keep what a client was told; then it looks at what there is."""
        if change.route == PLAN:
            assert answer.status in {200, 201, 409, 412, 428}
            assert answer.body.get("factoryId", self.factory) in {change.factory, self.factory}
        else:
            assert answer.status in {200, 404, 409}, "who starts or finishes names no version"
        if answer.status < 400:
            self.answered.append((change, answer.body))
        else:
            self.refused.append(change)
        order = send(self.loop, GET, kind=change.kind)
        if order.status == 200:
            self.known[change.actor, change.kind] = order.body["version"]


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        yield loop


@pytest.mark.parametrize("seed", range(SEEDS))
def test_one_order_has_one_history_and_its_facts_one_end(loop: Loop, seed: int) -> None:
    loop.clear()
    register(loop)
    race = Race(loop, random.Random(seed))  # noqa: S311  the same dice each run
    race.run()

    with frozen_clock(race.now_ms + MINUTE_MS):
        histories = {kind: [*reversed(send(loop, HISTORY, kind=kind).body["items"])] for kind in KINDS}
        currents = [send(loop, GET, kind=kind).body for kind, history in histories.items() if history]
        published = [event for event in loop.run() if event["source"] == "maintenance"]
    assert currents == [history[-1] for history in histories.values() if history]
    for kind, history in histories.items():
        assert_one_history(race, kind, history)
    told = sorted((event["detail"]["order"]["kind"], event["detail"]["order"]["version"]) for event in published)
    assert told == [(kind, one["version"]) for kind, history in histories.items() for one in history], "facts"
    assert_one_end(loop, race.chance, [json.dumps(event) for event in published], currents)


def assert_one_history(race: Race, kind: str, history: Sequence[Said]) -> None:
    """Check that each revision is there, once, and says what its writer was told."""
    assert [one["version"] for one in history] == [*range(1, len(history) + 1)]
    assert LIFE.fullmatch("".join(one["status"][0] for one in history))
    answered = [(change, said) for change, said in race.answered if change.kind == kind]
    assert all(history[said["version"] - 1] == said for _, said in answered)
    planned = [one["minutes"] for one in history if one["status"] == "planned"]
    assert sorted(planned) == sorted({said["minutes"] for change, said in answered if change.route == PLAN})
    assert not {change.body["minutes"] for change in race.refused if change.route == PLAN and change.body} & {*planned}


def assert_one_end(loop: Loop, chance: random.Random, facts: list[str], orders: Sequence[Said]) -> None:
    """Check what agenda and board show once facts were delivered in any order, some of them twice."""
    for shuffled in range(ORDERS):
        loop.clear()
        bodies = [*facts, *chance.sample(facts, k=len(facts) // 2)]
        if shuffled:
            chance.shuffle(bodies)
        with frozen_clock(NOW + 10 * MINUTE_MS):
            loop.listen([body_of(fact("equipment-created")), *bodies])
            loop.run()
            loop.sweep()
        with frozen_clock(TODAY_MS + MINUTE_MS):
            loop.sweep()
            agenda = {factory: loop.request(AGENDA, path={"factoryId": factory}).body["items"] for factory in FACTORIES}
            by_day = {factory: [*days_of(loop, factory)] for factory in FACTORIES}
            shown = loop.request(BOARD, path={"id": ORDER["id"]}).body
        assert {factory: [*map(place_of, items)] for factory, items in agenda.items()} == agenda_of(orders)
        assert by_day == agenda, "as objects"
        assert standing_in(shown) == standing_of(orders)


def days_of(loop: Loop, factory: str) -> Iterator[Said]:
    """Yield the agenda of a factory by its objects, day after day."""
    for day in DAYS:
        yield from loop.request(AGENDA_DAY, path={"factoryId": factory, "date": day}).body["items"]


def place_of(order: Said) -> tuple[str, str, str]:
    return order["plannedFor"], order["kind"], order["status"]


def agenda_of(orders: Sequence[Said]) -> dict[str, list[tuple[str, str, str]]]:
    """Return what each factory has to do, by a model."""
    return {
        factory: sorted(place_of(order) for order in orders if order["factoryId"] == factory) for factory in FACTORIES
    }


def standing_in(shown: Said) -> tuple[list[str], str | None, str | None]:
    """Return the kinds that are under way, next and overdue, as the board shows them."""
    return (
        [one["kind"] for one in shown.get("underWay", [])],
        shown.get("nextOrder", {}).get("kind"),
        shown.get("overdue", {}).get("kind"),
    )


def standing_of(orders: Sequence[Said]) -> tuple[list[str], str | None, str | None]:
    """Return the same by a model."""
    by_day = sorted(place_of(order) for order in orders)
    under_way, planned = ([place for place in by_day if place[2] == wanted] for wanted in OPEN)
    late = sorted((place for place in under_way + planned[:1] if place[0] < TODAY), key=itemgetter(0))
    coming, overdue = (next((place[1] for place in some), None) for some in (planned, late))
    return [place[1] for place in under_way], coming, overdue
