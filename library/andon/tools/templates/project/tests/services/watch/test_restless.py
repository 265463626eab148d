"""When a rule decides, and when not."""

import pytest

from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.services.watch.samples import LAMP

NOW_MS = 1_767_258_000_000


@pytest.mark.parametrize(
    ("seconds", "restless"),
    [
        ((0, 1, 2), [0]),
        ((0, 30, 60), [0]),
        ((0, 1), []),
        ((0, 30, 61), []),
        ((0, 1, 2, 3), [0]),
        ((0, 1, 100, 101, 102), [100]),
    ],
)
def test_three_moves_within_a_minute_are_restless(seconds: tuple[int, ...], restless: list[int]) -> None:
    with Loop() as loop:
        for version, second in enumerate(seconds):
            with frozen_clock(NOW_MS + second * 1000):
                headers = {"if-match": f'"{version}"'} if version else {}
                loop.request("PUT /things/{id}", path=LAMP, body={"place": f"shelf {second}"}, headers=headers)
                loop.run()
        with frozen_clock(NOW_MS + 5 * MINUTE_MS):
            decided = [event["detail"]["restless"] for event in loop.sweep() if event["source"] == "watch"]
            listed = loop.request("GET /watch/{id}", path=LAMP).body["items"]

    expected = [{"id": "lamp", "since": NOW_MS + second * 1000} for second in restless]
    assert decided == expected
    assert listed == expected
