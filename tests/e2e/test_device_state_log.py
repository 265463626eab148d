from datetime import UTC, datetime

import pytest

from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo import questions, seed

PATTERNS = [question.pattern for question in questions.questions(days=0)]


@pytest.fixture(scope="module")
def asked(stack: Stack) -> dict[str, questions.AnsweredQuestion]:
    days = seed.days_to_yesterday()
    seed.load(stack, days)
    seed.load(stack, days)  # once more: it changes nothing

    return {one.question.pattern: one for one in seed.asked_until_right(stack.api(groups.OPERATOR), days)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_access_pattern_of_the_sample_gets_awss_answer(
    asked: dict[str, questions.AnsweredQuestion], pattern: str
) -> None:
    one = asked[pattern]

    assert one.answer.status == 200
    assert one.items == one.expected
    assert all(not item.get("operator", "").startswith("op-") for item in one.items), "names, not badges"


def test_a_reported_state_becomes_readable_in_the_view(stack: Stack) -> None:
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z"
    device, analyst = stack.api(groups.DEVICE, "press-7#a"), stack.api(groups.ANALYST)

    put = device.put(path_of("equipment", "press-7#a", "states", now), {"state": "ERROR", "detail": "hot"})

    reported = {"equipmentId": "press-7#a", "state": "ERROR", "timestamp": now, "detail": "hot"}
    logs = path_of("equipment", "press-7#a", "logs")
    assert put.status == 201
    assert eventually(lambda: analyst.get(logs).json["items"] == [reported])
