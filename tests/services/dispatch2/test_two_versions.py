"""dispatch and dispatch2 side by side: whoever works on one side finds there what was done last on either."""

from typing import Any
from uuid import uuid4

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from demo.people import ANN, EVA, LIZ, SUE, TOM
from tests.support.dispatch.shop import MINUTE, found, kinds, log, open_shop, reported, swept
from tests.support.samples import NOW
from tests.support.services.crews import CREW, assign_crew, crew_of
from tests.support.services.reports import ASSIGNMENT, EPISODES, LOGS, OPERATOR_LOGS, acknowledge, assign, log_path


def settle(loop: Loop) -> list[tuple[str, str]]:
    """Run the loop; return the source and type of what was published."""
    return [(one["source"], one["detail-type"]) for one in loop.run()]


def at(minute: float) -> Any:  # noqa: ANN401  a context
    return frozen_clock(NOW + round(minute * MINUTE))


def on_v1(loop: Loop, equipment_id: str) -> tuple[str, str | None]:
    answer = loop.request(ASSIGNMENT, path=log_path(equipment_id))
    return found(answer)["operator"], answer.headers["etag"]


def on_v2(loop: Loop, equipment_id: str) -> tuple[str, list[str], str | None]:
    answer = crew_of(loop, equipment_id)
    return found(answer)["crew"]["lead"], answer.body["crew"]["members"], answer.headers["etag"]


def test_who_moves_over_goes_back_and_comes_again_finds_each_time_what_was_done_last(
    loop: Loop, equipment_id: str
) -> None:
    assert assign_crew(loop, equipment_id, LIZ, [ANN, TOM]).status == 201
    assert settle(loop) == [("dispatch2", "crew-assigned")]
    assert on_v1(loop, equipment_id) == (LIZ, '"1"')

    with at(1):
        assert assign(loop, equipment_id, SUE, if_match=1).headers["etag"] == '"2"'
        assert settle(loop) == [("dispatch", "operator-assigned")]
    assert on_v2(loop, equipment_id) == (SUE, [ANN, TOM], '"2"')

    with at(2):
        assert assign_crew(loop, equipment_id, SUE, [ANN], if_match=2).headers["etag"] == '"3"'
        assert settle(loop) == [("dispatch2", "crew-assigned")]
    assert on_v1(loop, equipment_id) == (SUE, '"3"')


def test_a_member_who_becomes_the_operator_leads_the_crew(loop: Loop, equipment_id: str) -> None:
    assign_crew(loop, equipment_id, LIZ, [ANN, TOM])
    settle(loop)
    with at(1):
        assign(loop, equipment_id, TOM, if_match=1)
        settle(loop)

    assert on_v2(loop, equipment_id) == (TOM, [ANN], '"2"')


def test_what_a_rule_decided_crosses_with_its_reasons_and_a_person_replaces_it_without_if_match(
    loop: Loop, equipment_id: str
) -> None:
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    path = log(equipment_id, "ERROR", 0)

    crew, assignment = (found(loop.request(route, path=path)) for route in (CREW, ASSIGNMENT))
    assert crew["crew"] == {"lead": LIZ, "members": []}
    assert (crew["by"], crew["rule"], crew["triggers"]) == ("rule", "assign", assignment["triggers"])

    with at(1):
        changed = assign_crew(loop, equipment_id, ANN, [TOM], path=path)
        loop.run()

    assert (changed.status, changed.headers["etag"]) == (200, '"2"')
    assert changed.body == {
        "equipmentId": equipment_id,
        "state": "ERROR",
        "timestamp": path["timestamp"],
        "crew": {"lead": ANN, "members": [TOM]},
    }
    after = loop.request(ASSIGNMENT, path=path)
    assert (after.headers["etag"], found(after)) == ('"2"', {**_log_in(changed), "operator": ANN})
    with at(2):
        assert assign(loop, equipment_id, EVA, path=path).status == 428


def test_no_rule_assigns_a_log_again_that_has_a_crew(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    path = log(equipment_id, "ERROR", 0)
    assign_crew(loop, equipment_id, ANN, [TOM], path=path)
    loop.run()

    published = reported(loop, equipment_id, "ERROR", 0) + reported(loop, equipment_id, "ERROR", 5)

    assert kinds(published, equipment_id) == ["operator-assigned"]  # the second log only
    assert found(loop.request(ASSIGNMENT, path=path))["operator"] == ANN
    assert found(loop.request(CREW, path=path))["crew"] == {"lead": ANN, "members": [TOM]}


def test_a_log_with_a_crew_is_escalated_unless_it_is_acknowledged_as_one_with_an_operator(
    loop: Loop, equipment_id: str
) -> None:
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    with at(1):
        assign_crew(loop, equipment_id, ANN, path=log(equipment_id, "ERROR", 0))
        loop.run()
    assert "state-escalated" in kinds(swept(loop, 17), equipment_id)

    reported(loop, equipment_id, "NORMAL", 20)
    reported(loop, equipment_id, "ERROR", 25)
    with at(26):
        assign_crew(loop, equipment_id, ANN, path=log(equipment_id, "ERROR", 25))
        assert acknowledge(loop, equipment_id, path=log(equipment_id, "ERROR", 25)).status == 201
        loop.run()
    assert "state-escalated" not in kinds(swept(loop, 45), equipment_id)


def test_the_story_of_an_episode_has_the_lead_of_a_crew_as_its_operator(loop: Loop, equipment_id: str) -> None:
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    with at(1):
        assign_crew(loop, equipment_id, ANN, [TOM], path=log(equipment_id, "ERROR", 0), subject="Rosa")
        loop.run()

    (episode,) = found(loop.request(EPISODES, path={"id": equipment_id}))["items"]

    assigned = [(one["operator"], one.get("rule")) for one in episode["story"] if one["type"] == "operator-assigned"]
    assert assigned == [(LIZ, "assign"), (ANN, None)]


def test_logs_and_operators_list_who_leads_a_crew(loop: Loop, equipment_id: str) -> None:
    ann, liz = str(uuid4()), str(uuid4())
    assign(loop, equipment_id, liz)
    settle(loop)
    with at(1):
        assign_crew(loop, equipment_id, ann, [TOM], if_match=1)
        settle(loop)

    (shown,) = found(loop.request(LOGS, path={"id": equipment_id}))["items"]
    assert shown["operator"] == ann
    assert found(loop.request(OPERATOR_LOGS, path={"operator": ann}))["items"] == [shown]
    assert found(loop.request(OPERATOR_LOGS, path={"operator": liz}))["items"] == []


def test_the_board_shows_who_leads_a_crew_to_whoever_assigned_it(
    loop: Loop, equipment_id: str, pauses: list[float]
) -> None:
    open_shop(loop, equipment_id)
    reported(loop, equipment_id, "ERROR", 0)
    with at(1):
        written = assign_crew(loop, equipment_id, ANN, path=log(equipment_id, "ERROR", 0))
        token = {"after": written.headers["x-after"]}
        route = "GET /equipment/{id}/board"
        assert loop.request(route, path={"id": equipment_id}, query=token).status == 202
        assert pauses
        loop.run()
        assert found(loop.request(route, path={"id": equipment_id}, query=token))["operator"] == ANN


def _log_in(answer: Answer) -> dict[str, Any]:
    return {name: answer.body[name] for name in ("equipmentId", "state", "timestamp")}
