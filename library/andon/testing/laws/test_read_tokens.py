"""Read tokens: with the token of a write, no view answers before it has seen that write."""

import json
import time
from collections.abc import Iterator

import pytest

from andon.packages.discovery import services, views
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
_TOO_OLD = (
    "{read} answers {first} with the token of a {write} that it has not seen, and {last} once it has: give its route "
    "`after: After = None`, and let it answer by `read_row` or a page of andon.http.after"
)
_NEVER = "{read} still answers 202 once it has seen the {write}: does the fact of that write reach the view's ON?"
_WITHOUT = (
    "no write answers with a token. Upon nothing each sample is refused, or its response has no x-after: let "
    "app.saved(…, after=…) have the token of andon.events.written. Writes: {writes}"
)
_NO_READ = "no sample of events/http/ reads a view: let a samples.py below tests/views/ ask one, then: andon samples"
_UNKNOWN = (
    "each view refuses each token, by 400. Either no view subscribes to what these writes become, or no route of one "
    "takes `after`, or a token names another source, type or partition key than the fact has. Writes: {writes}"
)

REQUESTS = [read(path) for path in paths("http")]
WRITES = [one for one in REQUESTS if any(one["routeKey"] in service.routes for service in services())]
WRITES = [one for one in WRITES if not one["routeKey"].startswith("GET ")]
READS = [one for one in REQUESTS if any(one["routeKey"] in view.routes for view in views())]


def test_a_view_that_knows_of_a_write_answers_once_it_has_seen_it_and_not_before(
    world: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)
    given, waited = set[str](), set[str]()
    for write in WRITES:  # each the first that ever was: of what was there before, a view may have seen newer writes
        about = write["routeKey"]
        world.clear()
        for asked, first, last in _asked_before_and_after(world, write):
            is_known = first == NOT_YET and last != REFUSED
            assert is_known or first == last == REFUSED, _TOO_OLD.format(
                read=asked, write=about, first=first, last=last
            )
            assert last != NOT_YET, _NEVER.format(read=asked, write=about)
            waited |= {about} if is_known else set()
            given.add(about)

    assert READS or not views(), _NO_READ
    assert given or not views(), _WITHOUT.format(writes=", ".join(sorted({one["routeKey"] for one in WRITES})))
    assert waited or not views(), _UNKNOWN.format(writes=", ".join(sorted(given)))


def _asked_before_and_after(world: Loop, write: JsonObject) -> Iterator[tuple[str, int, int]]:
    """Yield each read, and its statuses with the token of a write, before a view has seen that and once it has."""
    with frozen_clock(time_of(write)):
        if token := world.call(write).headers.get("x-after"):
            asked = [_about(write, one, token) for one in READS]
            before = [world.call(one).status for one in asked]
            world.run()
            yield from (
                (one["routeKey"], first, world.call(one).status) for one, first in zip(asked, before, strict=True)
            )


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
