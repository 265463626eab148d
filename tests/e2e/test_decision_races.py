"""Many evaluations of one key at the same time, in threads, on the emulator's tables.

What they are told beside events differs: as if the roster were being written meanwhile. So they would decide
differently, and whoever put a row over another's would be seen.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pytest

from andon.rules.control import control_changes
from andon.rules.control_service import Control
from andon.rules.due import DUE
from andon.rules.rule import Rule
from andon.rules.stored_event import StoredEvent
from andon.rules.sweep import sweep
from andon.testing.environment import frozen_clock
from andon.testing.lambda_context import LocalContext
from andon.testing.loop import Loop
from services.dispatch.control import CONTROL
from services.dispatch.facts import FACTS
from services.dispatch.roster import Roster
from services.dispatch.rules import assign, at_risk, escalate
from services.dispatch.tables import partition_of
from tests.support.deployed.at_once import at_once
from tests.support.deployed.dispatched import DISPATCH, TABLE, collected, newest, registered
from tests.support.samples import NOW
from toys.toy_control import decide_at

MANY: Final = 16
TIMES: Final = 5
MINUTE_MS: Final = 60_000

Rows = list[dict[str, Any]]


def _told(number: int) -> Control:
    """Decide as dispatch does, but by a roster of one's own."""
    roster = Roster((f"operator {number}",), f"supervisor {number}")
    return CONTROL._replace(context_of=lambda _: roster)


def _rows(loop: Loop, equipment_id: str, kind: str) -> Rows:
    """Read the rows of a kind that a rule put."""
    rows = (row for row in loop.rows(TABLE) if row["pk"] == partition_of(equipment_id))
    return [row for row in rows if row.get("discriminator") == kind and row.get("by") == "rule"]


def _published(loop: Loop, changes: Sequence[dict[str, Any]], equipment_id: str) -> Rows:
    """Let the trigger and all behind it hear of the changes, and tell what was published of the equipment."""
    with frozen_clock(NOW):
        DISPATCH.handler("trigger")({"Records": changes}, LocalContext("dispatch-trigger"))
        told = [message["detail"] for message in loop.run()]
    return [event for event in told if event["partitionKey"] == equipment_id]


def _remembered(loop: Loop, equipment_id: str) -> list[str]:
    """List the ids of the own facts in dispatch's store."""
    rows = (row for row in loop.rows(TABLE) if row["pk"] == partition_of(equipment_id) and "event" in row)
    return [row["event"]["id"] for row in rows if row["source"] == "dispatch"]


@pytest.mark.parametrize("rule", [assign.RULE, at_risk.RULE, escalate.RULE], ids=lambda rule: rule.id)
def test_of_16_evaluations_at_once_one_decides_and_what_it_decided_is_told_once(emulated: Loop, rule: Rule) -> None:
    for _ in range(TIMES):
        equipment_id = registered(emulated)
        collected(emulated, equipment_id, ("WARNING1", NOW - 40 * MINUTE_MS), ("ERROR", NOW - 35 * MINUTE_MS))
        anchor = newest(equipment_id)

        verdicts = at_once(MANY, partial(_evaluate, rule, anchor))

        decided = 2 if rule is assign.RULE else 1  # both logs
        assert sum(verdicts, Counter()) == {"decided": decided, "stands": (MANY - 1) * decided}
        changes = emulated.new_records(TABLE)
        assert [change["eventName"] for change in changes] == ["INSERT"] * decided
        told = _published(emulated, changes, equipment_id)
        assert [event["id"] for event in told] == [change["eventID"] for change in changes]
        assert {event["type"] for event in told} == rule.emits
        assert sorted(_remembered(emulated, equipment_id)) == sorted(event["id"] for event in told)


def _evaluate(rule: Rule, anchor: StoredEvent, number: int) -> Counter[str]:
    control = _told(number)
    return decide_at(anchor, [rule], control=control, now_ms=NOW)


def test_one_change_that_16_triggers_get_at_once_is_one_assignment_and_one_event(emulated: Loop) -> None:
    for _ in range(TIMES):
        equipment_id = registered(emulated)
        changes = collected(emulated, equipment_id, ("ERROR", NOW - MINUTE_MS))

        with frozen_clock(NOW):
            at_once(MANY, partial(_trigger, changes))

        (assignment,) = _rows(emulated, equipment_id, "assignment")
        decided = [one for one in emulated.new_records(TABLE) if "assignment" in one["dynamodb"]["Keys"]["sk"]["S"]]
        assert [change["eventName"] for change in decided] == ["INSERT"]
        (event,) = _published(emulated, decided, equipment_id)
        assert event["assignment"]["operator"] == assignment["operator"]
        assert _remembered(emulated, equipment_id) == [event["id"]]


def _trigger(changes: Rows, number: int) -> None:
    context = LocalContext("dispatch-trigger", f"request {number}")
    control_changes({"Records": changes}, context, facts=FACTS, control=_told(number))


def test_what_16_sweeps_find_due_at_once_is_decided_once_and_due_no_more(emulated: Loop) -> None:
    for _ in range(TIMES):
        equipment_id = registered(emulated)
        reports = [(state, NOW - minutes * MINUTE_MS) for state, minutes in (("WARNING1", 70), ("ERROR", 65))]
        _published(emulated, collected(emulated, equipment_id, *reports), equipment_id)

        with frozen_clock(NOW + MINUTE_MS):
            at_once(MANY, lambda number: sweep(LocalContext("dispatch-sweep"), control=_told(number)))

        due = [row for row in emulated.rows(TABLE) if row.get("discriminator") == DUE]
        assert [row for row in due if row["key"] == partition_of(equipment_id)] == []
        changes = emulated.new_records(TABLE)
        kinds = {"equipment-at-risk": 1, "escalation": 1, "equipment-silent": 1}
        assert {kind: len(_rows(emulated, equipment_id, kind)) for kind in kinds} == kinds
        told = _published(emulated, changes, equipment_id)
        assert Counter(event["type"] for event in told) == {
            "equipment-at-risk": 1,
            "state-escalated": 1,
            "equipment-silent": 1,
        }
        assert len({event["id"] for event in told}) == len(told)
