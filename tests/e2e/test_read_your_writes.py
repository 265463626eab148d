"""Reading one's writes on the deployed stack: a stopped listener, and the same one started again."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from andon.cdk.names import pascal
from andon.http.after import PAUSES_SECONDS
from andon.tools.stack.api import HttpResponse, path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from tests.support.services.versions import equipment

VIEWS: Final = ("state_log", "board")


@contextmanager
def stopped(stack: Stack, view: str) -> Iterator[None]:
    """Stop a view's listener: its queue keeps what comes."""
    lambda_, queue = stack.client("lambda"), stack.outputs[f"{pascal(view)}QueueUrl"].rsplit("/", 1)[-1]
    (mapping,) = (
        one["UUID"]
        for one in lambda_.list_event_source_mappings()["EventSourceMappings"]
        if one["EventSourceArn"].endswith(f":{queue}")
    )
    lambda_.update_event_source_mapping(UUID=mapping, Enabled=False)
    assert eventually(lambda: _state(lambda_, mapping) == "Disabled")
    try:
        yield
    finally:
        lambda_.update_event_source_mapping(UUID=mapping, Enabled=True)
    assert eventually(lambda: _state(lambda_, mapping) == "Enabled")


def _state(lambda_: Any, mapping: str) -> str:  # noqa: ANN401  boto3's client
    return str(lambda_.get_event_source_mapping(UUID=mapping)["State"])


@pytest.mark.parametrize("view", VIEWS)
def test_a_stopped_listener_makes_a_read_wait_and_answers_nothing_older_and_started_again_it_is_there(
    stack: Stack, view: str
) -> None:
    equipment_id, now = f"press-of-{view}", f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z"
    operator, analyst = stack.api(groups.OPERATOR), stack.api(groups.ANALYST)
    page = path_of("equipment", equipment_id, "logs" if view == "state_log" else "board")

    with stopped(stack, view):
        put = operator.put(path_of("equipment", equipment_id, "states", now), {"state": "ERROR"})
        asked = f"{page}?after={put.headers['x-after']}"
        older = analyst.get(page)  # the function's cold start is not what is measured
        began = time.monotonic()
        waiting = analyst.get(asked)
        waited_s = time.monotonic() - began
    started = time.monotonic()
    there = eventually(lambda: analyst.get(asked).status == 200)

    assert (waiting.status, waiting.body, waiting.headers["retry-after"]) == (202, b"", "1")
    assert waited_s >= sum(PAUSES_SECONDS)
    assert older.json == {"items": []} if view == "state_log" else older.status == 404
    assert there, f"not there {time.monotonic() - started:.0f} s after the listener started again"
    shown = analyst.get(asked).json
    assert (shown["items"][0] if view == "state_log" else shown)["state"] == "ERROR"


def test_a_day_of_the_agenda_is_one_object_that_has_another_tag_once_an_order_was_moved(stack: Stack) -> None:
    machine, factory = "press-that-is-maintained", "factory-of-one-press"
    admin, analyst = stack.api(groups.ADMIN), stack.api(groups.ANALYST)
    today = datetime.now(UTC).date()
    first, second = (str(today + timedelta(days=days)) for days in (3, 5))
    order = path_of("equipment", machine, "maintenance", first, "oil")
    assert admin.put(path_of("equipment", machine), equipment() | {"factoryId": factory}).status == 201

    def day(day: str, token: str = "", tag: str = "") -> HttpResponse:
        path = path_of("factories", factory, "agenda", day) + (f"?after={token}" if token else "")
        return analyst.request("GET", path, headers={"if-none-match": tag} if tag else {})

    assert eventually(lambda: admin.put(order, {}).status in {200, 201}), "maintenance heard of it"
    planned = admin.put(order, {})
    assert eventually(lambda: day(first, planned.headers["x-after"]).status == 200)
    before = day(first)
    moved = admin.put(order, {"plannedFor": second}, {"if-match": '"1"'})
    assert eventually(lambda: day(second, moved.headers["x-after"]).status == 200)
    assert eventually(lambda: day(first).headers["etag"] != before.headers["etag"])

    assert [one["plannedFor"] for one in before.json["items"]] == [first]
    shown = day(second)
    assert (day(first).json, [one["plannedFor"] for one in shown.json["items"]]) == ({"items": []}, [second])
    known = day(second, tag=shown.headers["etag"])
    assert (known.status, known.body) == (304, b"")
    listed = analyst.get(path_of("factories", factory, "agenda")).json["items"]
    assert listed == shown.json["items"], "as the table says it"
