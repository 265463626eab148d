# <overdue>
"""When a rule decides, and when not."""

from typing import Any

import pytest

from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.runtime.clock import DAY_MS, MINUTE_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.samples import body_of, sample
from services.watch.rules.overdue import RULE
from tests.services.watch.samples import FACT

NOW_MS = 1_767_258_000_000
EVENT = DomainEvent.from_wire(sample("domain", FACT))
DAYS_OF_SWEEPS = sorted({*range(0, 70, 4), RULE.after_ms // DAY_MS})  # by then a date further ahead is put off


def said(day: int, date: int) -> str:
    due = times.to_utc(NOW_MS + date * DAY_MS)
    entities = {name: {**entity, "due": due} for name, entity in EVENT.entities.items()}
    event = EVENT._replace(id=f"event {day}", timestamp_ms=NOW_MS + day * DAY_MS)
    return body_of(event._replace(entities=entities))


def dates_in(events: list[dict[str, Any]]) -> list[int]:
    found = (event["detail"]["overdue"]["since"] for event in events if "overdue" in event["detail"])
    return [(since - NOW_MS) // DAY_MS for since in found]


@pytest.mark.parametrize(
    ("dates", "decided"),
    [
        ({0: 7}, [(8, 7)]),
        ({0: 7, 4: 22}, [(24, 22)]),
        ({0: 22, 4: 11}, [(12, 11)]),
        ({0: 22, 4: 22}, [(24, 22)]),
        ({0: 7, 8: 22}, [(8, 7), (24, 22)]),
        ({4: 2}, [(4, 2)]),
        ({0: 61}, [(64, 61)]),  # longer than events are stored
    ],
)
def test_a_date_that_comes_is_decided_unless_another_one_was_said(
    dates: dict[int, int], decided: list[tuple[int, int]]
) -> None:
    found = list[tuple[int, int]]()
    with Loop() as loop:
        for day in DAYS_OF_SWEEPS:
            with frozen_clock(NOW_MS + day * DAY_MS):
                found += [(day, date) for date in dates_in(loop.sweep())]
                loop.listen([said(day, date) for on, date in dates.items() if on == day])
                loop.run()
            with frozen_clock(NOW_MS + day * DAY_MS + 5 * MINUTE_MS):
                found += [(day, date) for date in dates_in(loop.sweep())]

    assert found == decided


# </overdue>
