"""A rule's decision is the row that a person would have written, and a person has the last word."""

from uuid import uuid4

from andon.packages.package import Package
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from demo.people import ANN, EVA, LIZ, TOM
from tests.support.dispatch.shop import MINUTE, found, kinds, log, open_shop, reported, swept
from tests.support.samples import NOW
from tests.support.services.reports import ASSIGNMENT, LOGS, OPERATOR_LOGS, assign, escalate

DISPATCH = Package("services", "dispatch")


def test_an_assignment_by_rule_says_by_which_rule_and_upon_which_event(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    published = reported(loop, equipment_id, "ERROR", 0)

    answer = loop.request(ASSIGNMENT, path=log(equipment_id, "ERROR", 0))

    (report_id,) = (one["detail"]["id"] for one in published if one["detail-type"] == "state-reported")
    body = {
        "equipmentId": equipment_id,
        "state": "ERROR",
        "timestamp": "2020-04-28T00:00:00.000Z",
        "operator": LIZ,
        "by": "rule",
        "rule": "assign",
        "triggers": [{"id": report_id, "type": "state-reported", "timestamp": NOW}],
    }
    assert found(answer) == body
    assert answer.headers["etag"] == '"1"'
    (told,) = (one["detail"] for one in published if one["detail-type"] == "operator-assigned")
    assert told["assignment"] == body


def test_a_person_needs_no_version_to_change_what_a_rule_decided_and_the_rule_is_no_more_named(
    loop: Loop, equipment_id: str
) -> None:
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    path = log(equipment_id, "ERROR", 0)

    with frozen_clock(NOW + MINUTE):
        changed = assign(loop, equipment_id, ANN, path=path)
        told = [one["detail"]["assignment"] for one in loop.run() if one["detail-type"] == "operator-assigned"]
    with frozen_clock(NOW + 2 * MINUTE):
        again = assign(loop, equipment_id, ANN, path=path)
        of_another = assign(loop, equipment_id, EVA, path=path)

    body = {"equipmentId": equipment_id, "state": "ERROR", "timestamp": path["timestamp"], "operator": ANN}
    assert (changed.status, changed.headers["etag"], changed.body) == (200, '"2"', body)
    assert told == [body]
    assert (again.status, again.headers["etag"], again.body) == (200, '"2"', body)
    assert of_another.status == 428
    assert found(loop.request(ASSIGNMENT, path=path)) == body


def test_a_rule_never_overwrites_what_a_person_decided(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    by_hand = assign(loop, equipment_id, ANN, path=log(equipment_id, "ERROR", 0))
    escalated = escalate(loop, equipment_id, TOM, path=log(equipment_id, "ERROR", 0))
    loop.run()

    published = reported(loop, equipment_id, "ERROR", 0) + reported(loop, equipment_id, "ERROR", 5) + swept(loop, 60)

    told = kinds(published, equipment_id)
    assert found(loop.request(ASSIGNMENT, path=log(equipment_id, "ERROR", 0))) == by_hand.body
    assert escalated.status == 201
    assert sorted(told) == ["equipment-silent", "operator-assigned"]


def test_logs_and_operators_show_an_assignment_by_rule_as_they_show_one_by_hand(loop: Loop, equipment_id: str) -> None:
    liz = str(uuid4())
    open_shop(loop, equipment_id, [liz])
    assign(loop, equipment_id, liz, path=log(equipment_id, "WARNING1", -5))
    reported(loop, equipment_id, "WARNING1", -5)
    reported(loop, equipment_id, "WARNING1", 0)

    logs = found(loop.request(LOGS, path={"id": equipment_id}))["items"]
    hers = found(loop.request(OPERATOR_LOGS, path={"operator": liz}))["items"]

    by_hand, by_rule = ({k: v for k, v in one.items() if k != "timestamp"} for one in logs)
    assert by_hand == by_rule
    assert by_rule["operator"] == liz
    assert hers == logs


def test_the_row_of_a_rule_expires_with_its_log_as_one_by_hand_does(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    assign(loop, equipment_id, LIZ, path=log(equipment_id, "STOPPED", 0))
    reported(loop, equipment_id, "ERROR", 0)
    swept(loop, 16)

    rows = [row for row in loop.rows("DISPATCH_TABLE") if row["pk"] == f"Equipment#{equipment_id}"]

    of_log = {row["sk"]: row["ttl"] for row in rows if row["sk"].split("#")[0] in {"ERROR", "STOPPED"}}
    assert len(of_log) == 3
    assert set(of_log.values()) == {NOW // 1000 + 33 * 86_400}


def test_dispatch_keeps_of_an_event_what_it_said_and_not_the_row_that_it_came_from(
    loop: Loop, equipment_id: str
) -> None:
    open_shop(loop, equipment_id)
    published = reported(loop, equipment_id, "ERROR", 0)

    rows = [row for row in loop.rows("DISPATCH_TABLE") if row["pk"] == f"Equipment#{equipment_id}"]

    kept = {row["event"]["id"]: row["event"] for row in rows if "event" in row}
    told = {one["detail"]["id"]: one["detail"] for one in published}
    assert kept == {id_: {k: v for k, v in told[id_].items() if k != "raw"} for id_ in kept}
    assert len(kept) == 2
