from typing import Any

import pytest

from local.in_process.lambda_events import http_event
from patterns.http.caller import authorize, caller_of
from patterns.runtime.errors import Forbidden

ROUTE = "GET /things"
ROUTES = {ROUTE: frozenset({"reader", "admin"})}


def event_with(claims: dict[str, Any]) -> dict[str, Any]:
    event = http_event(ROUTE)
    event["requestContext"]["authorizer"]["jwt"]["claims"] = claims
    return event


@pytest.mark.parametrize(
    ("claim", "groups"),
    [
        ("[reader]", {"reader"}),
        ("[operator supervisor]", {"operator", "supervisor"}),
        ("reader", {"reader"}),
        ("[]", set()),
        ("", set()),
        (None, {"None"}),
        (["reader"], {"'reader'"}),
    ],
)
def test_groups_are_read_as_the_authorizer_hands_them_over(claim: object, groups: set[str]) -> None:
    assert caller_of(event_with({"sub": "x", "cognito:groups": claim})).groups == groups


def test_who_is_in_one_of_the_groups_may_call() -> None:
    caller = authorize(event_with({"sub": "x", "cognito:groups": "[writer reader]"}), ROUTES)

    assert caller.subject == "x"


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"sub": "x"},
        {"sub": "", "cognito:groups": "[reader]"},
        {"cognito:groups": "[reader]"},
        {"sub": "x", "cognito:groups": "[writer]"},
        {"sub": "x", "cognito:groups": "[readers]"},
        {"sub": "x", "cognito:groups": "[Reader]"},
        {"sub": "x", "cognito:groups": "[read er]"},
        {"sub": "x", "cognito:groups": "[reader,admin]"},
    ],
    ids=str,
)
def test_nobody_else_may_call(claims: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        authorize(event_with(claims), ROUTES)


@pytest.mark.parametrize("context", [{}, {"authorizer": {}}, {"authorizer": {"jwt": {}}}], ids=str)
def test_who_comes_past_the_authorizer_is_nobody(context: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        authorize({"routeKey": ROUTE, "requestContext": context}, ROUTES)


def test_a_route_that_nobody_declared_is_nobodys() -> None:
    with pytest.raises(Forbidden):
        authorize(event_with({"sub": "x", "cognito:groups": "[admin]"}) | {"routeKey": "GET /others"}, ROUTES)
