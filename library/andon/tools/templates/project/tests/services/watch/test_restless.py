# <restless>
"""When a rule decides, and when not."""

import pytest

from andon.events.domain_event import DomainEvent
from andon.runtime.clock import MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.samples import body_of, sample
from tests.services.watch.samples import FACT, ONE

NOW_MS = 1_767_258_000_000
EVENT = DomainEvent.from_wire(sample("domain", FACT))


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
def test_three_within_a_minute_are_restless(seconds: tuple[int, ...], restless: list[int]) -> None:
    with Loop() as loop:
        for second in seconds:
            at_ms = NOW_MS + second * 1000
            with frozen_clock(at_ms):
                loop.listen([body_of(EVENT._replace(id=f"event {second}", timestamp_ms=at_ms))])
                loop.run()
        with frozen_clock(NOW_MS + 5 * MINUTE_MS):
            decided = [event["detail"]["restless"] for event in loop.sweep() if "restless" in event["detail"]]
            # <first>
            listed = loop.request("GET /watch/{id}", path=ONE).body["items"]
            # </first>

    expected = [{"id": ONE["id"], "since": NOW_MS + second * 1000} for second in restless]
    assert decided == expected
    # <first>
    assert listed == expected[::-1]  # the latest first
    # </first>


# </restless>
