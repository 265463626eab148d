"""Bodies with lists: the largest is written, and what it becomes can be published; one that is larger is 400."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest

from andon.http.said import LARGEST_ROW_BYTES
from andon.testing.loop import Loop

Body = dict[str, Any]

WIDE: Final = "🏭" * 126
"""Bytes of an id, at most, but for the two digits by which it differs from others."""


def wide(count: int) -> list[str]:
    return [f"{WIDE}{number:02}" for number in range(count)]


def lines_of(number: int, count: int) -> list[str]:
    """Return the lines of a member of a list: up to 50 in each, `count` in all."""
    return wide(max(1, min(50, count - 50 * number)))


def chains(count: int) -> Body:
    step = {"after": 5, "tell": "duty:supervisor", "urgency": "high"}
    return {
        "chains": [{"id": f"c{n}", "on": ["ERROR"], "lines": lines_of(n, count), "steps": [step]} for n in range(20)]
    }


def roster(count: int) -> Body:
    shifts = [
        {"name": f"s{number}", "days": ["mon"], "from": f"{number // 2:02}:{number % 2 * 30:02}",
         "to": f"{(number + 1) // 2:02}:{(number + 1) % 2 * 30:02}", "operators": ["op-17"],
         "lines": lines_of(number, count)}
        for number in range(40)
    ]  # fmt: skip
    return {"operators": ["op-17"], "supervisor": "sv-03", "shifts": shifts}


def catalog(count: int) -> Body:
    category = {"id": "material", "name": "Material", "icon": "box", "priority": 1, "needsCause": False}
    causes = [
        {"id": f"c{n}", "name": WIDE, "categories": ["material"], "lines": lines_of(n, count)} for n in range(200)
    ]
    return {"categories": [category], "causes": causes}


BODIES: Final[dict[str, Callable[[int], Body]]] = {
    "PUT /factories/{factoryId}/chains": chains,
    "PUT /factories/{factoryId}/roster": roster,
    "PUT /factories/{factoryId}/catalog": catalog,
}


def text_of(body: Body) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def largest(body_of: Callable[[int], Body]) -> int:
    """Return the greatest number of lines with which a body is not too large."""
    return max(count for count in range(1, 1000) if len(text_of(body_of(count)).encode()) <= LARGEST_ROW_BYTES)


@pytest.mark.parametrize("route", BODIES)
def test_the_largest_body_of_a_row_is_a_fact_and_a_larger_one_is_refused_with_its_bound(loop: Loop, route: str) -> None:
    count = largest(BODIES[route])
    put = partial(loop.request, route, path={"factoryId": f"gdl-{route.rpartition('/')[2]}"})

    refused = put(body=text_of(BODIES[route](count + 1)))
    assert refused.status == 400
    assert [error["detail"].partition(", not")[0] for error in refused.body["errors"]] == [
        f"must be at most {LARGEST_ROW_BYTES} bytes"
    ]
    assert loop.run() == []

    assert put(body=text_of(BODIES[route](count))).status == 201
    [fact] = loop.run()
    assert fact["detail-type"] in {"chain-set", "roster-changed", "catalog-set"}
