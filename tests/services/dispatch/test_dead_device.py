"""A device that reports ERROR once and dies, through the whole loop, minute by minute."""

from andon.rules.micro_event_store import STORED_WITHIN_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.support.dispatch.shop import MINUTE, found, kinds, log, open_shop, reported, swept
from tests.support.samples import NOW
from tests.support.services.reports import EPISODES, ESCALATION, report

# The hold-back, and the time that a put may take.
SLACK = (30_000 + STORED_WITHIN_MS) / MINUTE
MOMENT = 1 / MINUTE


def test_a_device_that_reports_error_and_dies_is_handed_up_after_15_minutes_and_silent_after_30(
    loop: Loop, equipment_id: str
) -> None:
    open_shop(loop, equipment_id)
    assert kinds(reported(loop, equipment_id, "ERROR", 0), equipment_id) == ["operator-assigned"]

    told = {
        minute: kinds(swept(loop, minute), equipment_id)
        for minute in (1, 14 + 59 / 60, 15 + SLACK - MOMENT, 15 + SLACK, 16, 30 + SLACK - MOMENT, 30 + SLACK, 31, 600)
    }

    assert {minute: kind for minute, kind in told.items() if kind} == {
        15 + SLACK: ["state-escalated"],
        30 + SLACK: ["equipment-silent"],
    }
    escalation = found(loop.request(ESCALATION, path=log(equipment_id, "ERROR", 0)))
    assert (escalation["supervisor"], escalation["by"], escalation["rule"]) == ("Sara", "rule", "escalate")


def test_it_is_back_with_its_next_report(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    swept(loop, 31)

    assert kinds(reported(loop, equipment_id, "NORMAL", 300), equipment_id) == []
    assert kinds(swept(loop, 300 + SLACK), equipment_id) == ["equipment-back"]
    assert kinds(swept(loop, 330 + SLACK), equipment_id) == ["equipment-silent"]

    (episode,) = found(loop.request(EPISODES, path={"id": equipment_id}))["items"]
    assert [(entry["type"], entry["at"]) for entry in episode["story"]] == [
        ("state-reported", "2020-04-28T00:00:00.000Z"),
        ("operator-assigned", "2020-04-28T00:00:00.000Z"),
        ("state-escalated", "2020-04-28T00:15:00.000Z"),
        ("equipment-silent", "2020-04-28T00:30:00.000Z"),
        ("state-reported", "2020-04-28T05:00:00.000Z"),
        ("equipment-back", "2020-04-28T05:00:00.000Z"),
    ]


def test_a_report_that_comes_in_weeks_late_is_handed_up_all_the_same(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    with frozen_clock(NOW + 32 * 24 * 60 * MINUTE):
        report(loop, equipment_id, "ERROR", "2020-04-28T00:00:00.000Z")
        loop.run()

    told = kinds(swept(loop, 32 * 24 * 60 + SLACK), equipment_id)

    assert sorted(told) == ["equipment-silent", "state-escalated"]
