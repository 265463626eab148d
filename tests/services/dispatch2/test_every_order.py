"""People on both sides and a rule assign one log at once: in whatever order what they did arrives, all agree."""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import Any

import pytest

from andon.packages.discovery import subscribers_of
from andon.packages.package import Package
from andon.runtime import times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from demo.people import ANN, LIZ, SUE, TOM
from tests.support.samples import NOW, body_of, fact
from tests.support.services.crews import CREW, assign_crew
from tests.support.services.reports import ASSIGNMENT, assign, log_path, staff

DISPATCH = Package("services", "dispatch")
REPORT = fact("state-reported", id="r", at=NOW, equipmentId="press-7", state="ERROR", timestamp=times.to_utc(NOW))
PATH = log_path("press-7", "ERROR", times.to_utc(NOW))

Sent = list[tuple[Package, str]]
"""Messages, each for one of its readers."""


@pytest.fixture(scope="module")
def world() -> Iterator[Loop]:
    with Loop() as world:
        yield world


def decide_by_rule(world: Loop) -> None:
    """Let the rule see the report, at which it assigns the log unless that has an operator."""
    assert world.deliver(DISPATCH, [body_of(REPORT)]) == []


def edit_on_v1(world: Loop) -> None:
    etag = _etag(world.request(ASSIGNMENT, path=PATH))
    assert assign(world, "press-7", SUE, path=PATH, if_match=etag).status in {200, 201}


def edit_on_v2(world: Loop) -> None:
    etag = _etag(world.request(CREW, path=PATH))
    assert assign_crew(world, "press-7", ANN, [TOM], path=PATH, if_match=etag).status in {200, 201}


def _etag(answer: Answer) -> str | None:
    return answer.headers["etag"].strip('"') if answer.status == 200 else None


def published(world: Loop) -> Sent:
    """Let the triggers run until they have no more to do; return what they published."""
    sent: Sent = []
    while world._trigger():  # noqa: SLF001  one step of the loop
        for body in world.new_messages():
            envelope = json.loads(body)
            readers = subscribers_of(envelope["source"], envelope["detail-type"])
            sent += [(reader, body) for reader in readers if reader.side != "stores"]
    return sent


def deliver(world: Loop, sent: Sequence[tuple[Package, str]]) -> None:
    for reader, body in sent:
        assert world.deliver(reader, [body]) == []


def begin(world: Loop) -> None:
    """Start with the machine in a factory that has a roster."""
    world.clear()
    with frozen_clock(NOW - 60_000):
        event = fact("equipment-updated", id="registered", at=NOW - 60_000)
        event.entities["equipment"]["id"] = "press-7"
        assert world.deliver(DISPATCH, [body_of(event)]) == []
        assert staff(world, event.entities["equipment"]["factoryId"], [LIZ]).status == 201
        published(world)


def end_of(world: Loop) -> dict[str, Any]:
    """Return the people on the log, by each side and each view, and the edit that the sides have."""
    (crew,) = world.rows("DISPATCH2_TABLE")
    (assignment,) = (row for row in world.rows("DISPATCH_TABLE") if row.get("discriminator") == "assignment")
    (log,), (machine,) = world.rows("STATE_LOG_TABLE"), world.rows("BOARD_TABLE")
    return {
        "people": {crew["lead"], assignment["operator"], log["Operator"], machine["Operator"]},
        "edits": {
            (crew["timestamp"], crew.get("origin", "dispatch2")),
            (assignment["timestamp"], assignment.get("origin", "dispatch")),
        },
        "members": crew["members"],
    }


def edit_in(body: str) -> tuple[tuple[int, str], str]:
    """Return an edit's place in the order, and who it assigns."""
    envelope = json.loads(body)
    detail = envelope["detail"]
    person = detail["crew"]["lead"] if "crew" in detail else detail["assignment"]["operator"]
    return (detail["timestamp"], envelope["source"]), person


Edit = Callable[[Loop], None]
EDITS: tuple[Edit, ...] = (edit_on_v1, edit_on_v2, decide_by_rule)


@pytest.mark.parametrize("skew_ms", [-1, 0, 1], ids=["v2's clock is behind", "in one millisecond", "v2's is ahead"])
def test_all_agree_whatever_happens_and_arrives_in_which_order(world: Loop, skew_ms: int) -> None:
    for order, at_once in product(permutations(EDITS), product((True, False), repeat=len(EDITS))):
        for backwards in (False, True):
            begin(world)
            sent, held = Sent(), Sent()
            for edit, arrives in zip(order, at_once, strict=True):
                with frozen_clock(NOW + 5 + skew_ms * (edit is edit_on_v2)):
                    edit(world)
                    new = published(world)
                    deliver(world, new if arrives else [])
                    assert published(world) == [], "what crosses is published again"
                held += [] if arrives else new
                sent += new

            with frozen_clock(NOW + 60_000):
                deliver(world, [*reversed(held)] if backwards else held)
                deliver(world, sent)  # each comes twice
                assert published(world) == []

            edits = dict(edit_in(body) for _, body in sent)
            newest = max(edits)
            assert end_of(world) == {"people": {edits[newest]}, "edits": {newest}, "members": [TOM]}
            assert edits[newest] != LIZ, "the rule has the last word"
