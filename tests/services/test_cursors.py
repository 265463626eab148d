"""A cursor fits the question it was given for, and no other."""

from uuid import uuid4

import pytest

from andon.testing.loop import Loop
from demo.people import LIZ, SARA
from tests.support.services.reports import ESCALATIONS, LOGS, OPERATOR_LOGS, STATES, assign, escalate, report

Question = tuple[str, dict[str, str], dict[str, str]]

QUESTIONS: list[Question] = [
    (STATES, {"id": "c#1"}, {}),
    (STATES, {"id": "c#2"}, {}),
    (STATES, {"id": "c#1"}, {"from": "2020-04-24"}),
    (LOGS, {"id": "c#1"}, {}),
    (LOGS, {"id": "c#2"}, {}),
    (LOGS, {"id": "c#1"}, {"state": "WARNING1"}),
    (OPERATOR_LOGS, {"operator": LIZ}, {}),
    (ESCALATIONS, {"supervisor": SARA}, {}),
    (ESCALATIONS, {"supervisor": SARA}, {"state": "WARNING1", "date": "2020-04-24"}),
]


@pytest.fixture(scope="module", autouse=True)
def rows(loop: Loop) -> None:
    """Two pieces of equipment with three logs each, all of one operator and one supervisor."""
    for equipment_id in ("c#1", "c#2"):
        for minute in range(3):
            at = f"2020-04-24T14:5{minute}:00.000Z"
            log = {"id": equipment_id, "state": "WARNING1", "timestamp": at}
            report(loop, equipment_id, at=at)
            assign(loop, equipment_id, LIZ, path=log)
            escalate(loop, equipment_id, SARA, path=log)
    loop.run()


def cursor_of(loop: Loop, question: Question) -> str:
    route, path, query = question
    cursor: str = loop.request(route, path=path, query=query | {"limit": "1"}).body["cursor"]
    return cursor


@pytest.mark.parametrize("asked", range(len(QUESTIONS)))
def test_a_cursor_fits_its_own_question_and_no_other(loop: Loop, asked: int) -> None:
    route, path, query = QUESTIONS[asked]

    for given, question in enumerate(QUESTIONS):
        cursor = cursor_of(loop, question)
        answer = loop.request(route, path=path, query=query | {"cursor": cursor})

        assert answer.status == (200 if asked == given else 400)
        if asked == given:
            assert len(answer.body["items"]) in {2, 5}
        else:
            assert [error["field"] for error in answer.body["errors"]] == ["query.cursor"]


def test_the_cursor_of_the_longest_ids_still_fits(loop: Loop) -> None:
    longest, person = "🏭" * 128, str(uuid4())
    for minute in range(2):
        at = f"2020-04-24T14:5{minute}:00.000Z"
        assign(loop, longest, person, path={"id": longest, "state": "A" * 32, "timestamp": at})
    loop.run()

    cursor = cursor_of(loop, (OPERATOR_LOGS, {"operator": person}, {}))
    answer = loop.request(OPERATOR_LOGS, path={"operator": person}, query={"cursor": cursor})

    assert [item["timestamp"] for item in answer.body["items"]] == ["2020-04-24T14:50:00.000Z"]
