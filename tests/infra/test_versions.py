"""Two versions of a view in one stack: what the switch from one to the other changes, and what it leaves alone."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from andon.cdk.changes import CHANGED, NOTHING
from andon.testing.synthesised import Synthesised
from tests.support.infra.cloned import Cloned

QUERIES = {"before": "views/board/query", "after": "views/board_v2/query"}
PUSHES = {"before": "views/board/push", "after": "views/board_v2/push"}


@pytest.fixture(scope="module")
def both(of_clone: Cloned) -> Mapping[str, Synthesised]:
    """The stack before the switch, and after it."""
    return of_clone.both


def integrations(made: Synthesised) -> dict[str, str]:
    """The function of each integration, by its alias."""
    return {
        name: made.behind(one["IntegrationUri"]) for name, one in made.of_type("AWS::ApiGatewayV2::Integration").items()
    }


def filters(made: Synthesised, file: str) -> list[Any]:
    [mapping] = made.mappings(file)
    return [json.loads(one["Pattern"]) for one in mapping["FilterCriteria"]["Filters"]]


def test_a_version_is_filled_whether_it_serves_or_not(both: Mapping[str, Synthesised]) -> None:
    for made in both.values():
        assert len(made.mappings("views/board/listener")) == len(made.mappings("views/board_v2/listener")) == 1
        assert made.output("BoardTable") != made.output("BoardV2Table")


def test_the_switch_changes_which_function_one_integration_calls(both: Mapping[str, Synthesised]) -> None:
    was, now = integrations(both["before"]), integrations(both["after"])

    different = {
        name: (was.get(name), now.get(name)) for name in was.keys() | now.keys() if was.get(name) != now.get(name)
    }
    functions = tuple(both["before"].id_of_function(file) for file in QUERIES.values())
    assert [*different.values()] == [functions]


def test_the_routes_of_a_view_are_the_same_before_and_after(both: Mapping[str, Synthesised]) -> None:
    was, now = (made.of_type("AWS::ApiGatewayV2::Route") for made in both.values())

    assert was == now


def test_the_switch_changes_neither_a_function_that_answers_or_fills_nor_a_queue_nor_a_rule(
    both: Mapping[str, Synthesised],
) -> None:
    was, now = both["before"], both["after"]
    files = [f"views/{name}/{role}" for name in ("board", "board_v2") for role in ("query", "listener", "push")]

    assert [file for file in files if was.functions()[file] != now.functions()[file]] == []
    for kind in ("AWS::SQS::Queue", "AWS::Events::Rule"):  # those of the audit come and go with who serves
        before, after = was.of_type(kind), now.of_type(kind)
        assert [name for name in before.keys() & after.keys() if before[name] != after[name]] == []


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("version", ["before", "after"])
def test_the_api_may_call_the_query_of_either_version_all_the_time(
    both: Mapping[str, Synthesised], version: str, when: str
) -> None:
    made = both[when]
    function = made.id_of_function(QUERIES[version])
    lasting = [
        one
        for name, one in made.of_type("AWS::Lambda::Permission").items()
        if made.behind(one["FunctionName"]) == function
        and name in both["before"].resources
        and name in both["after"].resources
    ]

    assert {one["Principal"] for one in lasting} == {"apigateway.amazonaws.com"}


def test_push_speaks_for_the_version_that_serves_and_follows_the_other_in_silence(
    both: Mapping[str, Synthesised],
) -> None:
    assert filters(both["before"], PUSHES["before"]) == filters(both["after"], PUSHES["after"]) == [*CHANGED]
    assert filters(both["before"], PUSHES["after"]) == filters(both["after"], PUSHES["before"]) == [*NOTHING]


def test_rows_of_a_version_expire_once_it_has_served(both: Mapping[str, Synthesised]) -> None:
    def expires(made: Synthesised) -> list[bool]:
        tables = made.of_type("AWS::DynamoDB::Table")
        return ["TimeToLiveSpecification" in tables[made.output(name)] for name in ("BoardTable", "BoardV2Table")]

    assert (expires(both["before"]), expires(both["after"])) == ([True, False], [True, True])
