from typing import Any

import pytest

from andon.http.places import authorize, caller_of
from andon.runtime.errors import Forbidden
from andon.testing.lambda_events import http_event

ROUTE = "GET /things"
GROUPS = frozenset({"reader", "admin"})


def event_with(claims: dict[str, Any]) -> dict[str, Any]:
    event = http_event(ROUTE)
    event["requestContext"]["authorizer"]["jwt"]["claims"] = {"token_use": "access"} | claims
    return event


@pytest.mark.parametrize(
    ("claim", "groups"),
    [
        *(("[reader]", {"reader"}), ("[operator supervisor]", {"operator", "supervisor"}), ("reader", {"reader"})),
        *(("[]", set()), ("", set()), (None, {"None"}), (["reader"], {"'reader'"}), ("[[admin]", {"[admin"})),
        *(("[admin]]", {"admin]"}), ("[[admin]]", {"[admin]"}), ("[[admin admin]]", {"[admin", "admin]"})),
        *(("[reader  admin]", {"reader", "admin"}), ("[reader\tadmin]", {"reader\tadmin"})),
        ("[reader\u00a0admin reader\u2003admin]", {"reader\u00a0admin", "reader\u2003admin"}),
        *(("[reader\nadmin\x1cadmin]", {"reader\nadmin\x1cadmin"}), ("[", {"["})),
    ],
)
def test_groups_are_read_as_the_authorizer_hands_them_over(claim: object, groups: set[str]) -> None:
    assert caller_of(event_with({"sub": "x", "cognito:groups": claim})).groups == groups


def test_who_is_in_one_of_the_groups_may_call() -> None:
    caller = authorize(event_with({"sub": "x", "cognito:groups": "[writer reader]"}), GROUPS)

    assert caller.subject == "x"


@pytest.mark.parametrize(
    "claims",
    [
        *({}, {"sub": "x"}, {"sub": "", "cognito:groups": "[reader]"}, {"cognito:groups": "[reader]"}),
        *({"sub": "x", "cognito:groups": "[writer]"}, {"sub": "x", "cognito:groups": "[readers]"}),
        *({"sub": "x", "cognito:groups": "[Reader]"}, {"sub": "x", "cognito:groups": "[read er]"}),
        *({"sub": "x", "cognito:groups": "[reader,admin]"}, {"sub": "x", "cognito:groups": "[[admin]"}),
        *({"sub": "x", "cognito:groups": "[admin]]"}, {"sub": "x", "cognito:groups": "[[admin]]"}),
        {"sub": "x", "cognito:groups": "[writer\tadmin]"},
    ],
    ids=str,
)
def test_nobody_else_may_call(claims: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        authorize(event_with(claims), GROUPS)


@pytest.mark.parametrize("use", ["id", "refresh", "", None, "ACCESS", "says none"], ids=repr)
def test_an_id_token_opens_nothing(use: str | None) -> None:
    event = event_with({"sub": "x", "cognito:groups": "[admin]", "token_use": use})
    if use == "says none":
        del event["requestContext"]["authorizer"]["jwt"]["claims"]["token_use"]

    with pytest.raises(Forbidden, match="access token"):
        authorize(event, GROUPS)


def test_a_caller_has_the_name_that_its_user_signs_in_with() -> None:
    claims = {"sub": "x", "username": "press-7", "cognito:username": "another"}

    assert caller_of(event_with(claims)).name == "press-7"
    assert caller_of(event_with({"sub": "x"})).name == ""


@pytest.mark.parametrize("context", [{}, {"authorizer": {}}, {"authorizer": {"jwt": {}}}], ids=str)
def test_who_comes_past_the_authorizer_is_nobody(context: dict[str, Any]) -> None:
    with pytest.raises(Forbidden):
        authorize({"routeKey": ROUTE, "requestContext": context}, GROUPS)
