"""People of a log, over HTTP: assigned, as a crew, escalated, acknowledged; and how long that is kept."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from andon.dynamodb.ttl import ttl_at
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from demo.people import ANN, LIZ, SARA, SUE, TOM
from tests.support.samples import NOW
from tests.support.services import crews, reports
from tests.support.services.crews import ASSIGN_CREW, assign_crew, crew_of
from tests.support.services.reports import AT, acknowledge, assign, escalate, log_path, told_of

MINUTE: Final = 60_000
EXPIRES_MS: Final = times.to_ms(AT) + 33 * DAY_MS


class Kind(NamedTuple):
    """A deed about a log: its call, where it is read, the members that say it, and the event's."""

    do: Callable[..., Answer]
    route: str
    says: dict[str, Any]
    topic: tuple[str, str]
    entity: str
    again: int = 201

    def seen(self, loop: Loop, equipment_id: str) -> Answer:
        return loop.request(self.route, path=log_path(equipment_id))


SEEN: Final = {"acknowledgedBy": "Ann", "acknowledgedAt": times.to_utc(NOW)}
CREW: Final = {"lead": LIZ, "members": [ANN, TOM]}
KINDS: Final = {
    "assigned": Kind(
        lambda loop, one, **parts: assign(loop, one, LIZ, **parts),
        reports.ASSIGNMENT, {"operator": LIZ}, ("dispatch", "operator-assigned"), "assignment",
    ),
    "escalated": Kind(
        lambda loop, one, **parts: escalate(loop, one, SARA, **parts),
        reports.ESCALATION, {"supervisor": SARA}, ("dispatch", "state-escalated"), "escalation",
    ),
    "acknowledged": Kind(
        acknowledge,
        reports.ACKNOWLEDGEMENT, SEEN, ("dispatch", "state-acknowledged"), "acknowledgement", again=200,
    ),
    "a crew": Kind(
        lambda loop, one, **parts: assign_crew(loop, one, LIZ, [ANN, TOM], **parts),
        crews.CREW, {"crew": CREW}, ("dispatch2", "crew-assigned"), "crew",
    ),
}  # fmt: skip
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@each_kind
def test_what_is_done_about_a_log_is_created_found_published_and_kept_as_long_as_the_log(
    loop: Loop, equipment_id: str, kind: Kind
) -> None:
    before = kind.seen(loop, equipment_id)
    first = kind.do(loop, equipment_id, subject="Ann")
    with frozen_clock(NOW + 5 * MINUTE):
        again = kind.do(loop, equipment_id, subject="Ann")

    log = {"equipmentId": equipment_id, "state": "WARNING1", "timestamp": AT}
    assert (before.status, before.headers["content-type"]) == (404, "application/problem+json")
    assert (first.status, again.status, first.body) == (201, kind.again, log | kind.says)
    assert (again.body, kind.seen(loop, equipment_id).body) == (first.body, first.body)
    assert again.headers.get("etag") == kind.seen(loop, equipment_id).headers.get("etag") == first.headers.get("etag")
    (envelope,) = told_of(loop, equipment_id)
    assert ((envelope["source"], envelope["detail-type"]), envelope["detail"]["timestamp"]) == (kind.topic, NOW)
    assert envelope["detail"][kind.entity] == log | (CREW if kind.entity == "crew" else kind.says)
    assert envelope["detail"]["tags"]["actor"] == "Ann"
    with frozen_clock(EXPIRES_MS - 1):
        assert kind.seen(loop, equipment_id).status == 200
    with frozen_clock(EXPIRES_MS):
        assert kind.seen(loop, equipment_id).status == 404


@each_kind
@pytest.mark.parametrize(
    ("at_ms", "status"),
    [
        (NOW + times.MAX_AHEAD_MS, 201),
        (NOW + times.MAX_AHEAD_MS + 1, 400),
        (NOW - 33 * DAY_MS + 1000, 201),
        (NOW - 33 * DAY_MS, 400),
    ],
    ids=["five minutes ahead", "a millisecond more", "33 days less a second", "33 days"],
)
def test_nothing_is_done_about_a_log_that_lies_ahead_or_has_expired(
    loop: Loop, equipment_id: str, kind: Kind, at_ms: int, status: int
) -> None:
    assert kind.do(loop, equipment_id, path=log_path(equipment_id, at=times.to_utc(at_ms))).status == status
    assert len(told_of(loop, equipment_id)) == (status == 201)


@pytest.mark.parametrize("kind", [KINDS["assigned"], KINDS["a crew"]])
def test_a_change_needs_the_current_version_and_expires_with_the_log(loop: Loop, equipment_id: str, kind: Kind) -> None:
    change = assign if kind is KINDS["assigned"] else assign_crew
    change(loop, equipment_id, SUE)

    assert [kind.do(loop, equipment_id, if_match=version).status for version in (None, 2)] == [428, 412]
    changed = kind.do(loop, equipment_id, if_match=1)
    assert (changed.status, changed.headers["etag"], changed.body) == (200, '"2"', kind.seen(loop, equipment_id).body)
    headers = {"if-none-match": '"2"'}
    assert loop.request(kind.route, path=log_path(equipment_id), headers=headers).status == 304
    table = f"{kind.topic[0].upper()}_TABLE"
    (row,) = (row for row in loop.rows(table) if row["pk"] == f"Equipment#{equipment_id}")
    assert row["ttl"] == ttl_at(times.to_ms(AT), 33)
    assert len([one for one in told_of(loop, equipment_id) if one["source"] == kind.topic[0]]) == 2


def test_what_is_done_about_a_log_in_one_service_does_not_meet(loop: Loop, equipment_id: str) -> None:
    done = [kind.do(loop, equipment_id).status for name, kind in KINDS.items() if name != "a crew"]

    assert done == [201, 201, 201]
    assert len(told_of(loop, equipment_id)) == 3


def test_whoever_acknowledges_a_log_again_learns_who_was_first(loop: Loop, equipment_id: str) -> None:
    first = acknowledge(loop, equipment_id, subject="the first")
    again = acknowledge(loop, equipment_id, subject="another")

    assert (again.status, again.body) == (200, first.body)
    assert len(told_of(loop, equipment_id)) == 1


def test_an_answer_that_is_lost_on_the_way_leaves_one_acknowledgement(
    loop: Loop, equipment_id: str, wire: Wire, pauses: list[float]
) -> None:
    wire.lose_answers("PutItem", times=1)

    answer = acknowledge(loop, equipment_id, subject="the first")

    assert answer.status in {200, 201}
    assert answer.body["acknowledgedBy"] == "the first"
    assert len(told_of(loop, equipment_id)) == 1
    assert pauses


def test_a_clock_that_runs_back_does_not_turn_the_order_of_events(loop: Loop, equipment_id: str) -> None:
    assign(loop, equipment_id, LIZ)
    with frozen_clock(NOW - 10 * MINUTE):
        assert assign(loop, equipment_id, SUE, if_match=1).status == 200

    events = [envelope["detail"] for envelope in told_of(loop, equipment_id)]

    assert [event["timestamp"] for event in events] == [NOW, NOW + 1]
    logs = loop.request("GET /equipment/{id}/logs", path={"id": equipment_id}).body["items"]
    assert [log["operator"] for log in logs] == [SUE]


@pytest.mark.parametrize(
    "at", ["2020-04-24T14:50:00Z", "2020-04-24T14:50", "2020-04-24T16:50:00+02:00", "2020-04-24T14:50:00.0009Z"]
)
def test_a_log_is_the_same_however_its_time_is_written(loop: Loop, equipment_id: str, at: str) -> None:
    assign(loop, equipment_id, LIZ, path=log_path(equipment_id, at=at))

    assert KINDS["assigned"].seen(loop, equipment_id).body["operator"] == LIZ


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"crew": {"lead": LIZ, "members": [LIZ]}}, "body.crew"),
        ({"crew": {"lead": LIZ, "members": [ANN, ANN]}}, "body.crew"),
        ({"crew": {"lead": LIZ, "members": [f"op-{number:02}" for number in range(21)]}}, "body.crew.members"),
        ({"crew": {"lead": LIZ}}, "body.crew.members"),
        ({"operator": LIZ}, "body.crew"),
    ],
    ids=["the lead is a member", "a member twice", "too many", "no members", "the other schema"],
)
def test_a_crew_that_makes_no_sense_is_refused(loop: Loop, equipment_id: str, body: object, field: str) -> None:
    answer = loop.request(ASSIGN_CREW, path=log_path(equipment_id), body=body)

    assert answer.status == 400
    assert field in [error["field"] for error in answer.body["errors"]]
    assert crew_of(loop, equipment_id).status == 404


def test_a_crew_is_assigned_behind_the_time_of_its_log_whatever_the_clock_says(loop: Loop, equipment_id: str) -> None:
    """A rule of dispatch decides at that time; a person's decision replaces it, and never the other way round."""
    assign_crew(loop, equipment_id, LIZ, path=log_path(equipment_id, at=times.to_utc(NOW + 2 * MINUTE)))

    (row,) = (row for row in loop.rows("DISPATCH2_TABLE") if row["pk"] == f"Equipment#{equipment_id}")
    assert row["timestamp"] == NOW + 2 * MINUTE + 1
