"""The roster of a factory, over HTTP."""

from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from demo.people import LIZ, SARA, SUE, TOM
from services.dispatch.duty_bodies import MAX_OPERATORS
from tests.support.samples import NOW
from tests.support.services.reports import ROSTER, STAFF, staff

MINUTE = 60_000


def told(answer: Answer) -> tuple[int, str | None, object]:
    return answer.status, answer.headers.get("etag"), answer.body


def roster(loop: Loop, factory_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    return loop.request(ROSTER, path={"factoryId": factory_id}, **parts)


def refused_fields(answer: Answer) -> set[str]:
    assert answer.status == 400
    return {error["field"] for error in answer.body["errors"]}


def test_a_factory_has_no_roster_before_it_gets_one(loop: Loop, equipment_id: str) -> None:
    answer = roster(loop, equipment_id)

    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_first_roster_is_created_and_found(loop: Loop, equipment_id: str) -> None:
    answer = staff(loop, equipment_id, [LIZ, SUE], SARA)

    body = {"factoryId": equipment_id, "operators": [LIZ, SUE], "supervisor": SARA}
    assert told(answer) == (201, '"1"', body)
    assert told(roster(loop, equipment_id)) == (200, '"1"', body)


def test_a_roster_is_published_so_that_the_lake_has_it_when_a_region_is_lost(loop: Loop, equipment_id: str) -> None:
    loop.run()
    staff(loop, equipment_id)

    [envelope] = loop.run()
    assert (envelope["detail-type"], envelope["detail"]["partitionKey"]) == ("roster-changed", equipment_id)
    assert envelope["detail"]["raw"]["new"]["operators"] == [LIZ, SUE]


@pytest.mark.parametrize(
    ("operators", "supervisor"),
    [([LIZ], SARA), ([SUE, LIZ], SARA), ([LIZ, SUE], TOM)],
    ids=["without one", "in another order", "under another supervisor"],
)
def test_a_change_needs_the_current_version(
    loop: Loop, equipment_id: str, operators: list[str], supervisor: str
) -> None:
    before = staff(loop, equipment_id, [LIZ, SUE], SARA)

    with frozen_clock(NOW + MINUTE):
        statuses = [
            staff(loop, equipment_id, operators, supervisor, if_match=version).status for version in (None, 2, 7)
        ]
        assert statuses == [428, 412, 412]
        assert roster(loop, equipment_id).body == before.body

        changed = staff(loop, equipment_id, operators, supervisor, if_match=1)

    assert told(changed)[:2] == (200, '"2"')
    assert told(roster(loop, equipment_id)) == told(changed)


def test_a_roster_stays_for_years(loop: Loop, equipment_id: str) -> None:
    staff(loop, equipment_id)

    with frozen_clock(NOW + 5 * 365 * 24 * 60 * MINUTE):
        assert roster(loop, equipment_id).status == 200


@pytest.mark.parametrize("name", ["Zoë", "李娜", "🏭", "a#b", "O'Hara, Jr.", "x" * 128, "🏭" * 128])
def test_factories_are_called_what_they_are(loop: Loop, equipment_id: str, name: str) -> None:
    factory_id = f"{equipment_id}-{name}".replace(" ", "-")[:128]

    assert staff(loop, factory_id).status == 201
    assert roster(loop, factory_id).body["factoryId"] == factory_id


@pytest.mark.parametrize("person", ["3f6d2c1e-8f0a-4b57-9a53-0c7d1f1e2a44", "op-17", "op17", "1047", "abc-0123456789"])
def test_people_are_subjects_or_badges(loop: Loop, equipment_id: str, person: str) -> None:
    assert staff(loop, equipment_id, [person], person).body["operators"] == [person]


def test_a_hundred_operators_are_not_too_many(loop: Loop, equipment_id: str) -> None:
    operators = [f"op-{number:02d}" for number in range(MAX_OPERATORS)]

    assert staff(loop, equipment_id, operators).status == 201
    assert roster(loop, equipment_id).body["operators"] == operators


BAD_OPERATORS: dict[str, Any] = {
    "nobody": [],
    "one of them twice": [LIZ, SUE, LIZ],
    "more than a hundred": [f"op-{number:02d}" for number in range(MAX_OPERATORS + 1)],
    "one and not a list": LIZ,
    "an object": {LIZ: True},
    "null": None,
}


@pytest.mark.parametrize("operators", list(BAD_OPERATORS.values()), ids=list(BAD_OPERATORS))
def test_operators_are_a_list_of_one_to_a_hundred_different_people(
    loop: Loop, equipment_id: str, operators: object
) -> None:
    body = {"operators": operators, "supervisor": SARA}
    answer = loop.request(STAFF, path={"factoryId": equipment_id}, body=body)

    assert refused_fields(answer) == {"body.operators"}
    assert roster(loop, equipment_id).status == 404


@pytest.mark.parametrize("missing", ["operators", "supervisor"])
def test_a_roster_is_both_operators_and_a_supervisor(loop: Loop, equipment_id: str, missing: str) -> None:
    body = {"operators": [LIZ], "supervisor": SARA}
    del body[missing]

    assert refused_fields(loop.request(STAFF, path={"factoryId": equipment_id}, body=body)) == {f"body.{missing}"}
