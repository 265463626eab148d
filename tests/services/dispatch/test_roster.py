"""The roster of a factory, over HTTP."""

from typing import Any

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from services.dispatch.bodies import MAX_OPERATORS
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
    answer = staff(loop, equipment_id, ["Liz", "Sue"], "Sara")

    body = {"factoryId": equipment_id, "operators": ["Liz", "Sue"], "supervisor": "Sara"}
    assert told(answer) == (201, '"1"', body)
    assert told(roster(loop, equipment_id)) == (200, '"1"', body)


def test_a_roster_is_published_so_that_the_lake_has_it_when_a_region_is_lost(loop: Loop, equipment_id: str) -> None:
    loop.run()
    staff(loop, equipment_id)

    [envelope] = loop.run()
    assert (envelope["detail-type"], envelope["detail"]["partitionKey"]) == ("roster-changed", equipment_id)
    assert envelope["detail"]["raw"]["new"]["operators"] == ["Liz", "Sue"]


@pytest.mark.parametrize(
    ("operators", "supervisor"),
    [(["Liz"], "Sara"), (["Sue", "Liz"], "Sara"), (["Liz", "Sue"], "Tom")],
    ids=["without one", "in another order", "under another supervisor"],
)
def test_a_change_needs_the_current_version(
    loop: Loop, equipment_id: str, operators: list[str], supervisor: str
) -> None:
    before = staff(loop, equipment_id, ["Liz", "Sue"], "Sara")

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


@pytest.mark.parametrize("name", ["Zoë", "李娜", "🏭", "a#b", "O'Hara, Jr.", "x" * 128, "Liz X", "🏭" * 128])
def test_people_and_factories_are_called_what_they_are(loop: Loop, equipment_id: str, name: str) -> None:
    factory_id = f"{equipment_id}-{name}".replace(" ", "-")[:128]

    assert staff(loop, factory_id, [name, "Liz"], name).status == 201
    assert roster(loop, factory_id).body == {"factoryId": factory_id, "operators": [name, "Liz"], "supervisor": name}


def test_a_hundred_operators_are_not_too_many(loop: Loop, equipment_id: str) -> None:
    operators = ["🏭" * 124 + f"{number:04d}" for number in range(MAX_OPERATORS)]

    assert staff(loop, equipment_id, operators).status == 201
    assert roster(loop, equipment_id).body["operators"] == operators


BAD_OPERATORS: dict[str, Any] = {
    "nobody": [],
    "one of them twice": ["Liz", "Sue", "Liz"],
    "more than a hundred": [f"operator {number}" for number in range(MAX_OPERATORS + 1)],
    "one and not a list": "Liz",
    "an object": {"Liz": True},
    "null": None,
}


@pytest.mark.parametrize("operators", list(BAD_OPERATORS.values()), ids=list(BAD_OPERATORS))
def test_operators_are_a_list_of_one_to_a_hundred_different_people(
    loop: Loop, equipment_id: str, operators: object
) -> None:
    body = {"operators": operators, "supervisor": "Sara"}
    answer = loop.request(STAFF, path={"factoryId": equipment_id}, body=body)

    assert refused_fields(answer) == {"body.operators"}
    assert roster(loop, equipment_id).status == 404


@pytest.mark.parametrize("missing", ["operators", "supervisor"])
def test_a_roster_is_both_operators_and_a_supervisor(loop: Loop, equipment_id: str, missing: str) -> None:
    body = {"operators": ["Liz"], "supervisor": "Sara"}
    del body[missing]

    assert refused_fields(loop.request(STAFF, path={"factoryId": equipment_id}, body=body)) == {f"body.{missing}"}
