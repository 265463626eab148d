from datetime import UTC, datetime

import pytest

from andon.cdk.names import pascal
from andon.packages.discovery import services, views
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo import device_state_log, questions, seed

PATTERNS = [question.pattern for question in questions.questions(days=0)]


@pytest.fixture(scope="module")
def asked(stack: Stack) -> dict[str, questions.Asked]:
    days = seed.days_to_yesterday()
    seed.load(stack, days)
    seed.load(stack, days)  # once more: it changes nothing

    return {one.question.pattern: one for one in seed.asked_until_right(stack.api(groups.OPERATOR), days)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_access_pattern_of_the_sample_gets_awss_answer(asked: dict[str, questions.Asked], pattern: str) -> None:
    one = asked[pattern]

    assert one.answer.status == 200
    assert one.items == [log.answer for log in one.question.expected]


def test_a_reported_state_becomes_readable_in_the_view(stack: Stack) -> None:
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z"
    device, analyst = stack.api(groups.DEVICE, "press-7#a"), stack.api(groups.ANALYST)

    put = device.put(path_of("equipment", "press-7#a", "states", now), {"state": "ERROR", "detail": "hot"})

    reported = {"equipmentId": "press-7#a", "state": "ERROR", "timestamp": now, "detail": "hot"}
    logs = path_of("equipment", "press-7#a", "logs")
    assert put.status == 201
    assert eventually(lambda: analyst.get(logs).json["items"] == [reported], within_s=seed.COMPLETE_WITHIN_S)


def test_a_state_reported_again_is_the_same_and_a_different_one_a_conflict(stack: Stack) -> None:
    command = device_state_log.state_report(device_state_log.sample(seed.days_to_yesterday())[0])
    operator = stack.api(command.role)
    operator.put(command.path, command.body)

    again = operator.put(command.path, command.body)
    different = operator.put(command.path, {"state": "NORMAL"})

    assert again.status == 200
    assert different.status == 409
    assert different.headers["content-type"].startswith("application/problem+json")


def test_exactly_the_tables_that_declare_a_ttl_have_it_on(stack: Stack) -> None:
    declared = {variable: schema for package in services() + views() for variable, schema in package.tables.items()}
    dynamodb = stack.client("dynamodb")

    has_it_on = {
        variable: dynamodb.describe_time_to_live(TableName=stack.outputs[pascal(variable)])["TimeToLiveDescription"]
        for variable in declared
    }

    on = {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    assert {variable for variable, ttl in has_it_on.items() if ttl == on} == {
        variable for variable, schema in declared.items() if schema.expires
    }
