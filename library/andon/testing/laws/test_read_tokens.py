"""Read tokens: with the token of a write, no view answers before it has seen that write."""

import json
import time

import pytest

from andon.packages.discovery import views
from andon.runtime.json_types import JsonObject
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.replayable import time_of
from andon.testing.samples import paths, read

NOT_YET, REFUSED = 202, 400

REQUESTS = [read(path) for path in paths("http")]
WRITES = [one for one in REQUESTS if not one["routeKey"].startswith("GET ")]
READS = [one for one in REQUESTS if any(one["routeKey"] in view.routes for view in views())]


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


def _about(write: JsonObject, one: JsonObject, token: str) -> JsonObject:
    """Return a read, about what was written if it names that, with a token."""
    said = json.loads(write.get("body") or "{}")
    known = {**(said if isinstance(said, dict) else {}), **write.get("pathParameters", {})}
    path = {name: str(known.get(name, value)) for name, value in one.get("pathParameters", {}).items()}
    return {**one, "pathParameters": path, "queryStringParameters": {"after": token}}
