"""Events on their way into the store, through the listener that keeps views as well."""

import json
from typing import Any

from andon.rules.stored_event import StoredEvent
from andon.testing.log_lines import LogLines
from andon.testing.wire import Wire
from toys.clock import NOW
from toys.things import happened
from toys.toy_control import Keeper, knocked, thing_of

OUTCOMES = ("applied", "duplicate", "stale", "expired", "compacted", "fault", "failed")


def outcomes(line: dict[str, Any]) -> dict[str, int]:
    return {outcome: line[outcome] for outcome in OUTCOMES if line[outcome]}


def events(keeper: Keeper, name: str) -> list[StoredEvent]:
    return keeper.events(thing_of(name))


def test_each_event_is_counted_once_by_what_became_of_it(keeper: Keeper, name: str, log_lines: LogLines) -> None:
    keeper.listen(knocked(name, at=NOW - 9))
    log_lines.clear()

    nameless = happened("knocked", "", id="nameless")
    again = keeper.listen(knocked(name, at=NOW - 9), knocked(name, at=NOW - 5), knocked(name, at=0), nameless)

    assert again == []
    (line,) = log_lines
    assert outcomes(line) == {"applied": 1, "duplicate": 1, "expired": 1, "fault": 1}
    assert line["received"] == 4
    assert line["thing-knocked.applied"] == line["thing-knocked.duplicate"] == line["thing-knocked.expired"] == 1
    assert line["lag"] == [5]
    assert [(one.event.timestamp_ms, one.arrived_ms) for one in events(keeper, name)] == [
        (NOW - 9, NOW),
        (NOW - 5, NOW),
    ]
    (fault,) = keeper.published()
    assert fault["fault"]["consumer"] == "keeper.listener"
    assert "nameless" in fault["fault"]["message"]


def test_an_event_twice_in_one_batch_is_one_write(keeper: Keeper, name: str, wire: Wire, log_lines: LogLines) -> None:
    keeper.listen(knocked(name), knocked(name))

    assert wire.operations == ["Query", "PutItem"]
    assert outcomes(log_lines[-1]) == {"applied": 1, "compacted": 1}


def test_an_event_that_can_never_be_stored_is_a_fault(keeper: Keeper, name: str) -> None:
    unkeyed = knocked(name, id="unkeyed", hand="x" * 1024)
    too_large = knocked(name, id="too large", detail="x" * 410_000)
    too_deep = knocked(name, id="too deep", detail=json.loads("[" * 500 + "]" * 500))

    assert keeper.listen(unkeyed, too_large, too_deep, knocked(name, id="good")) == []

    assert [one.event.id for one in events(keeper, name)] == ["good"]
    faults = keeper.published()
    assert [fault["type"] for fault in faults] == ["fault"] * 3
    for told in ("unkeyed", "too large", "too deep"):
        assert sum(f'"{told}"' in fault["fault"]["message"] for fault in faults) == 1
