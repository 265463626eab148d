"""The template against what the handlers do: nothing is called that is not allowed."""

from fnmatch import fnmatchcase

import pytest

from tests.support.infra.called import Asked, by_file
from tests.support.infra.synthesised import FILES, Synthesised

# What Lambda does with a function's role before and behind the handler.
OF_LAMBDA = (
    "logs:",
    "xray:",
    "sqs:",
    "s3:",
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
)


@pytest.fixture(scope="module")
def asked(one_thread: None) -> dict[str, set[Asked]]:  # noqa: ARG001
    return by_file()


def allows(aws: Synthesised, file: str, one: Asked) -> bool:
    resource = one.resource(aws.functions()[file]["Environment"]["Variables"])
    return any(
        one.action == action and fnmatchcase(resource, pattern) and permits(condition, one)
        for action, pattern, condition in aws.grants(file)
    )


def permits(condition: dict[str, dict[str, str]], one: Asked) -> bool:
    entry = dict(one.conditions)
    return all(entry.get(key) == value for key, value in condition.get("ForAllValues:StringEquals", {}).items())


@pytest.mark.parametrize("file", FILES)
def test_what_a_handler_calls_it_is_allowed_to(aws: Synthesised, asked: dict[str, set[Asked]], file: str) -> None:
    assert asked[file], "no sample reaches this handler"

    assert [one for one in asked[file] if not allows(aws, file, one)] == []


def test_the_check_finds_what_is_not_allowed(aws: Synthesised) -> None:
    file, table = "views/state_log/query.py", "STATE_LOG_TABLE"

    assert allows(aws, file, Asked("dynamodb:Query", table, "/index/GSI1"))
    assert not allows(aws, file, Asked("dynamodb:Query", table, "/index/GSI9"))
    assert not allows(aws, file, Asked("dynamodb:PutItem", table))
    assert not allows(aws, file, Asked("dynamodb:Query", "BOARD_TABLE"))
    entry = (("events:detail-type", "state-reported"), ("events:source", "state_log"))
    assert not allows(aws, "views/state_log/listener.py", Asked("events:PutEvents", "BUS_NAME", conditions=entry))


def test_what_is_allowed_and_never_used_is_printed(aws: Synthesised, asked: dict[str, set[Asked]]) -> None:
    """It does not fail: the samples are not all that can happen. To see it: pytest -rP -k never_used."""
    for file in FILES:
        environment = aws.functions()[file]["Environment"]["Variables"]
        used = {(one.action, one.resource(environment)) for one in asked[file]}
        idle = {pair for pair in aws.allowed(file) - used if not pair[0].startswith(OF_LAMBDA)}
        print(file, *(f"    {action} {on}" for action, on in sorted(idle)), sep="\n")  # noqa: T201
