"""The deployed push: what is reported is on a subscriber's socket at once, as the list says it."""

import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from andon.runtime import times
from andon.tools.stack.api import path_of
from andon.tools.stack.stack import Stack
from contract import groups
from contract.levels import LEVELS
from tests.support.cpu import cpu_ms_of
from tests.support.mqtt import Subscriber
from tests.support.screen import as_pushed

COMPANY = "Pushers"
HERE, THERE = "MX/West/JAL/Guadalajara/G/Centro", "MX/East/JAL/Guadalajara/G/Centro"
ROUNDS = 10
SCREENS = 200


def register(stack: Stack, machine: str, place: str, *, version: int | None = None) -> None:
    location = {"company": COMPANY, **dict(zip(LEVELS, place.split("/"), strict=True))}
    body = {"name": f"Press of {machine}", "factoryId": "Push", "lineId": "Line 1", "location": location}
    headers = {"If-Match": f'"{version}"'} if version else {}
    answer = stack.api(groups.OPERATOR).put(path_of("equipment", machine), body, headers=headers)
    assert answer.status in {200, 201}, answer


def report(stack: Stack, machine: str, state: str) -> str:
    at = times.to_utc(time.time_ns() // 1_000_000)
    answer = stack.api(groups.OPERATOR).put(path_of("equipment", machine, "states", at), {"state": state})
    assert answer.status == 201, answer
    return at


def subscribed(stack: Stack, location: str | None = None) -> Subscriber:
    """Return a subscriber of a place."""
    query = f"?location={location}" if location else ""
    answer = stack.api(groups.ANALYST).get(path_of("board", COMPANY, "changes") + query)
    assert answer.status == 200, answer
    return Subscriber(answer.json)


def next_of(screen: Subscriber, at: str) -> dict[str, Any]:
    """Return the next item about the log of a time; what was written before it may come first."""
    return next_that(screen, lambda item: item.get("stateTimestamp") == at)


def next_that(screen: Subscriber, is_meant: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the next item that is meant; what was written before, as the registration, may come first."""
    while not is_meant(item := screen.next()[1]):
        pass
    return item


def listed(stack: Stack, machine: str) -> dict[str, object]:
    items = stack.api(groups.ANALYST).get(path_of("board", COMPANY)).json["items"]
    (item,) = [item for item in items if item["equipmentId"] == machine]
    return dict(item)


def test_a_report_is_on_the_socket_of_its_place_as_the_list_says_it(stack: Stack) -> None:
    register(stack, "pushed-1", HERE)
    with subscribed(stack, "MX/West") as near, subscribed(stack) as all_of_it, subscribed(stack, "MX/East") as far:
        took_ms = []
        for number in range(ROUNDS):
            started = time.perf_counter()
            at = report(stack, "pushed-1", ("ERROR", "WARNING1")[number % 2])
            item = next_of(near, at)
            took_ms.append((time.perf_counter() - started) * 1000)
        assert as_pushed(item) == as_pushed(listed(stack, "pushed-1"))
        assert next_of(all_of_it, at) == item
        with pytest.raises(TimeoutError):
            far.next(within_s=0.5)
    print(f"\nPUT -> socket: median {statistics.median(took_ms):.0f} ms, max {max(took_ms):.0f} ms")  # noqa: T201  a figure for a person


def test_two_hundred_screens_show_a_report_at_once(stack: Stack) -> None:
    register(stack, "pushed-3", HERE)
    with ExitStack() as connected:
        screens = [connected.enter_context(subscribed(stack, HERE)) for _ in range(SCREENS)]
        started, worked_ms = time.perf_counter(), cpu_ms_of(stack.outputs["Endpoint"])
        at = report(stack, "pushed-3", "ERROR")
        items = [next_of(screen, at) for screen in screens]
        took_ms = (time.perf_counter() - started) * 1000
        worked_ms = cpu_ms_of(stack.outputs["Endpoint"]) - worked_ms
    assert [as_pushed(item) for item in items] == [as_pushed(listed(stack, "pushed-3"))] * SCREENS
    print(f"\nPUT -> {SCREENS} sockets: {took_ms:.0f} ms; CPU of the emulator and all functions: {worked_ms:.0f} ms")  # noqa: T201
