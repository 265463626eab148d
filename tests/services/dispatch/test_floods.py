"""A flood of reports of one machine: each of them costs what it does among few, and no other machine waits for it."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.dynamodb.attribute_values import to_typed
from andon.rules import evaluate
from andon.rules.stored_event import StoredEvent
from andon.runtime import times
from andon.testing.above_retries import Pass, between
from andon.testing.environment import is_quick
from andon.testing.examples import most
from andon.testing.memory.hook import Call
from contract import reports
from services.dispatch.tables import KEYS, partition_of
from tests.support.dispatch.chains import asked, chain, put_chains, step
from tests.support.dispatch.floor import Floor
from tests.support.samples import NOW, fact

PRESS: Final = "press-7"
OTHER: Final = "press-8"
EVERY_MS: Final = 100
BATCH: Final = 100
FEW: Final = 200


def stored(equipment_id: str, state: str, at_ms: int) -> StoredEvent:
    """Return a report as the listener stores it, which follows another one closely."""
    event = fact("state-reported", id=f"{equipment_id} {state} {at_ms}", at=at_ms)
    event.entities["state"].update(equipmentId=equipment_id, state=state, timestamp=times.to_utc(at_ms))
    kept = reports.collected(event, key_of=partition_of).stored(event.without_raw(), arrived_ms=NOW)
    return kept._replace(follows_ms=at_ms - 1, turned=True)


def flood(number: int, states: Sequence[str]) -> list[StoredEvent]:
    return [stored(PRESS, states[one % len(states)], NOW - (number - one) * EVERY_MS) for one in range(number)]


def batches(records: list[Any], size: int) -> list[list[Any]]:
    return [records[start : start + size] for start in range(0, len(records), size)]


def put(floor: Floor, events: Iterable[StoredEvent]) -> list[Any]:
    """Put events; return the records of the stream."""
    rows = [to_typed(one.row(KEYS)) for one in events]
    for row in rows:
        floor.table.table.write("Put", {"Item": row})
    return floor.table.new_records()


def cost(floor: Floor, number: int, states: Sequence[str], *, is_turned: bool) -> dict[str, float]:
    """Return the items that the trigger reads for each of so many reports, and its writes, all of which are stored."""
    floor.restart(PRESS)
    put_chains(floor, chain("all", ["ERROR"], step(0, "duty:operator"), step(5, "duty:supervisor")))
    records = put(floor, flood(number, states))
    items, writes = 0, 0

    def counted(call: Call, make: Pass) -> dict[str, Any]:
        nonlocal items, writes
        writes += call.operation == "PutItem"
        answer = make()
        items += answer.get("Count", 0)
        return answer

    with between(counted):
        for batch in batches(records[::-1] if is_turned else records, BATCH):
            floor.react(batch)
    return {"items": items / number, "writes": writes / number}


@pytest.mark.parametrize(
    ("states", "is_turned"),
    [(("ERROR", "NORMAL"), False), (("ERROR", "NORMAL"), True), (("ERROR", "WARNING1", "NORMAL"), False)],
    ids=["in order", "newest first", "longer"],
)
@pytest.mark.skipif(is_quick(), reason="three thousand reports")
def test_a_report_costs_as_much_among_many_as_among_few(floor: Floor, states: Sequence[str], is_turned: bool) -> None:  # noqa: FBT001
    few, many = (cost(floor, number, states, is_turned=is_turned) for number in (FEW, 8 * FEW))

    assert all(many[name] <= 1.2 * few[name] + 0.1 for name in few), (few, many)


@settings(max_examples=most(20))
@given(
    st.lists(st.sampled_from(["ERROR", "WARNING1", "NORMAL"]), min_size=1, max_size=12),
    st.integers(1, 30),
    st.integers(1, 12),
)
def test_whatever_a_key_has_had_its_share_after_the_same_is_decided(
    floor: Floor, states: list[str], share: int, size: int
) -> None:
    def decided(most: int) -> list[Any]:
        floor.restart(PRESS, OTHER)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(evaluate, "MOST_LOOKED", most)
            for batch in batches(put(floor, [*flood(len(states), states), stored(OTHER, "ERROR", NOW)]), size):
                floor.react(batch)
            at_once = [one.key for one in floor.decided(OTHER)]
            floor.settle()
            floor.wait_until(NOW + 20 * 60_000)
        assert at_once == [f"ERROR#{times.to_utc(NOW)}#assignment"]  # the other machine does not wait
        return floor.decided(PRESS)

    assert decided(share) == decided(10**6)


def test_a_lasting_trouble_of_a_machine_that_reports_twice_a_second_is_asked_about(floor: Floor) -> None:
    floor.restart(PRESS)
    put_chains(floor, chain("all", ["ERROR"], step(0, "duty:operator"), step(10, "duty:supervisor")))
    floor.react(put(floor, [stored(PRESS, "ERROR", NOW)]))
    floor.settle()
    put(floor, (stored(PRESS, "ERROR", NOW + (one + 1) * 500) for one in range(1_500)))
    floor.wait_until(NOW + 12 * 60_000)

    assert [one.at_minute for one in asked(floor, PRESS)] == [0, 10]
