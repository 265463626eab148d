"""An empty parameter is no missing one, a null is no text."""

import pytest

from andon.testing.loop import Loop
from tests.support.services.reports import EPISODES, ESCALATIONS, LOGS, OPERATOR_LOGS, STATES, report

EQUIPMENT = "GET /equipment/{id}"
BOARD = "GET /board/{company}"


@pytest.mark.parametrize(
    ("route", "path", "parameter"),
    [
        (EQUIPMENT, {"id": "d#1"}, "asOf"),
        (STATES, {"id": "d#1"}, "from"),
        (STATES, {"id": "d#1"}, "to"),
        (LOGS, {"id": "d#1"}, "state"),
        (LOGS, {"id": "d#1"}, "limit"),
        (LOGS, {"id": "d#1"}, "cursor"),
        (EPISODES, {"id": "d#1"}, "limit"),
        (EPISODES, {"id": "d#1"}, "cursor"),
        (OPERATOR_LOGS, {"operator": "Liz"}, "from"),
        (ESCALATIONS, {"supervisor": "Sara"}, "state"),
        (ESCALATIONS, {"supervisor": "Sara"}, "date"),
        (BOARD, {"company": "Acme"}, "location"),
    ],
)
def test_a_parameter_without_a_value_is_refused(loop: Loop, route: str, path: dict[str, str], parameter: str) -> None:
    answer = loop.request(route, path=path, query={parameter: ""})

    assert answer.status == 400
    assert [error["field"].lower() for error in answer.body["errors"]] == [f"query.{parameter}".lower()]


def test_a_report_may_say_that_it_has_no_detail(loop: Loop, equipment_id: str) -> None:
    answer = report(loop, equipment_id, body={"state": "WARNING1", "detail": None})

    assert answer.status == 201
    assert "detail" not in answer.body
