"""Read tokens: with the token of a write, no view answers before it has seen that write."""

import json
import time
from collections.abc import Iterator

import pytest

from andon.packages.discovery import views
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import JsonObject
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.replayable import time_of
from andon.testing.samples import paths, read

NOT_YET, REFUSED = 202, 400
DONE = (200, 201, 204)
UNSEEN = (
    "{read} waits for ever for a {write} that lost against another one of its millisecond: their entities share an "
    "oplock, so let their updates say origin=origin_of_entity(…), with a name that the token has"
)

REQUESTS = [read(path) for path in paths("http")]
WRITES = [one for one in REQUESTS if not one["routeKey"].startswith("GET ")]
READS = [one for one in REQUESTS if any(one["routeKey"] in view.routes for view in views())]


@pytest.mark.skipif(not READS, reason="there is no view")
def test_a_view_that_knows_of_a_write_answers_once_it_has_seen_it_and_not_before(
    world: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    waited = set()
    for write in WRITES:  # each the first that ever was: of what was there before, a view may have seen newer writes
        world.clear()
        with frozen_clock(time_of(write)):
            if token := world.call(write).headers.get("x-after"):
                asked = [_about(write, one, token) for one in READS]
                before = [world.call(one).status for one in asked]
                world.run()
                after = [world.call(one).status for one in asked]
                assert {NOT_YET, REFUSED}.issuperset(before), write["routeKey"]
                assert [status == REFUSED for status in before] == [status == REFUSED for status in after]
                assert NOT_YET not in after
                waited |= {write["routeKey"]} if NOT_YET in before else set()

    assert waited


def test_two_writes_of_one_millisecond_are_both_seen_in_the_end(world: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids of their events, which order them in a view, are known to none of the two who wrote."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    first = _first_writes(world)
    for write, other in ((one, other) for one in WRITES for other in _others(one)):
        for before in ([], [one for one in first if one["routeKey"] != write["routeKey"]]):
            world.clear()
            with frozen_clock(time_of(write) - DAY_MS):
                for one in before:
                    world.call(one)
                world.run()
            with frozen_clock(time_of(write)):
                tokens = [(one, world.call(one).headers.get("x-after")) for one in (write, other)]
                if not all(token for _, token in tokens):
                    continue  # it needs something to be there, or the other one may not be
                world.run()
                for one, token in tokens:
                    unseen = [asked for asked in READS if world.call(_about(one, asked, str(token))).status == NOT_YET]
                    assert not unseen, UNSEEN.format(read=unseen[0]["routeKey"], write=one["routeKey"])
            break


def _first_writes(world: Loop) -> list[JsonObject]:
    """Return the writes that need nothing to be there."""
    found = []
    for write in WRITES:
        world.clear()
        with frozen_clock(time_of(write) - DAY_MS):
            if world.call(write).status in DONE:
                found.append(write)
    return found


def _others(write: JsonObject) -> Iterator[JsonObject]:
    """Yield the same write about something else, by one part of its path each."""
    parts = write.get("pathParameters") or {}
    for name, value in parts.items():
        yield {**write, "pathParameters": {**parts, name: f"{value}0"}}


def _about(write: JsonObject, one: JsonObject, token: str) -> JsonObject:
    """Return a read, about what was written if it names that, with a token."""
    said = json.loads(write.get("body") or "{}")
    known = {**(said if isinstance(said, dict) else {}), **write.get("pathParameters", {})}
    path = {name: str(known.get(name, value)) for name, value in one.get("pathParameters", {}).items()}
    return {**one, "pathParameters": path, "queryStringParameters": {"after": token}}
