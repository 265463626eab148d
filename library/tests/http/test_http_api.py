import json
from http import HTTPStatus
from typing import Any, Final

import pytest
from botocore.exceptions import ClientError
from pydantic import BaseModel

from andon.http.http_api import HttpApi
from andon.http.response import Response, respond
from andon.runtime.errors import (
    CallFailed,
    Conflict,
    FieldError,
    Forbidden,
    Invalid,
    NotFound,
    PreconditionRequired,
    Stale,
)
from andon.runtime.log import SHARE, is_sampled
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event
from andon.testing.log_lines import LogLines

ROUTE = "PUT /things/{id}"
ADMINS = frozenset({"admin"})

SECRET = "arn:aws:dynamodb:us-east-1:000000000000:table/Secret"


class Broken:
    """The next behaviour of the route."""

    error: Exception | None = None


app = HttpApi()


@app.serves(ROUTE, groups=ADMINS)
def put_thing() -> Response:
    if Broken.error:
        raise Broken.error
    return respond(HTTPStatus.OK, {"by": app.caller.subject})


def call(error: Exception | None = None, route: str = ROUTE, **parts: Any) -> dict[str, Any]:  # noqa: ANN401
    Broken.error = error
    return app.handler(http_event(route, **({"path": {"id": "x"}} | parts)), LocalContext("things-command"))


def test_every_response_carries_the_id_of_its_request() -> None:
    response = call(subject="me")

    assert response["statusCode"] == 200
    assert response["headers"]["x-request-id"] == "request-1"
    assert json.loads(response["body"]) == {"by": "me"}


@pytest.mark.parametrize("error", [None, NotFound("why"), RuntimeError(SECRET)], ids=repr)
def test_no_browser_guesses_the_type_of_a_response(error: Exception | None) -> None:
    assert call(error)["headers"]["x-content-type-options"] == "nosniff"
    assert call(groups=[])["headers"]["x-content-type-options"] == "nosniff"


def test_a_quarter_of_a_million_offending_fields_do_not_break_the_response() -> None:
    fields = tuple(FieldError(f"body.{number}", "is wrong") for number in range(250_000))

    response = call(Invalid("why", fields=fields))

    errors = json.loads(response["body"])["errors"]
    assert len(response["body"]) < 100_000
    assert [error["field"] for error in errors[:-1]] == [f"body.{number}" for number in range(100)]
    assert errors[-1] == {"field": "", "detail": "249900 more"}


def test_the_name_of_an_offending_field_is_not_sent_back_in_full() -> None:
    response = call(query={"x" * 100_000: "1"})

    (error,) = json.loads(response["body"])["errors"]
    assert len(error["field"]) == 200


@pytest.mark.parametrize(
    ("error", "status"),
    [
        *((Invalid("why"), 400), (Forbidden("why"), 403), (NotFound("why"), 404), (Conflict("why"), 409)),
        *((Stale("why"), 412), (PreconditionRequired("why"), 428)),
    ],
)
def test_a_rejection_becomes_problem_details(error: Exception, status: int) -> None:
    response = call(error)

    assert response["statusCode"] == status
    assert response["headers"]["Content-Type"] == "application/problem+json"
    assert response["headers"]["x-request-id"] == "request-1"
    assert json.loads(response["body"]) == {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": "why",
    }


@pytest.mark.parametrize(
    "error",
    [
        *(RuntimeError(SECRET), ValueError(SECRET), KeyError(SECRET), TypeError(SECRET), RecursionError(SECRET)),
        ClientError({"Error": {"Code": "ResourceNotFoundException", "Message": SECRET}}, "PutItem"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_anything_else_is_a_500_that_says_nothing_of_why(error: Exception, log_lines: LogLines) -> None:
    response = call(error)

    assert response["statusCode"] == 500
    assert response["headers"]["Content-Type"] == "application/problem+json"
    for word in ("Secret", "arn", "Traceback", "Error'", type(error).__name__):
        assert word not in response["body"]
    assert [line["level"] for line in log_lines] == ["ERROR"]
    assert "Secret" in log_lines[0]["exception"]


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "ThrottlingException", "UnprocessedKeys"])
def test_what_aws_throttles_is_a_503_that_says_when_to_come_again(code: str, log_lines: LogLines) -> None:
    response = call(CallFailed(code))

    assert (response["statusCode"], response["headers"]["retry-after"]) == (503, "5")
    assert code not in response["body"]
    assert [(line["level"], line["status"]) for line in log_lines] == [("ERROR", 503)]
    assert code in log_lines[0]["exception"]


def test_one_line_is_logged_per_request_without_its_body(log_lines: LogLines) -> None:
    call(body={"colour": "a secret colour"})
    call(NotFound("why"))

    assert [(line["message"], line["status"], line["request_id"]) for line in log_lines] == [
        (ROUTE, 200, "request-1"),
        (ROUTE, 404, "request-1"),
    ]
    assert "secret" not in json.dumps(log_lines)


def test_what_goes_well_is_logged_for_a_share_only(log_lines: LogLines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARE, "0")

    call()
    call(NotFound("why"))
    call(RuntimeError("why"))

    assert [line["status"] for line in log_lines] == [404, 500]


def test_the_requests_that_are_logged_are_so_large_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARE, "0.1")

    sampled = [number for number in range(10_000) if is_sampled(f"JKJaXmPLvHcE{number}=")]

    assert 900 < len(sampled) < 1_100


def test_an_error_is_not_logged_again_with_the_next_request(log_lines: LogLines) -> None:
    call(RuntimeError("once"))
    call()

    assert [line["level"] for line in log_lines] == ["ERROR", "INFO"]
    assert "exception" not in log_lines[1]


def test_a_caller_of_another_group_learns_nothing_of_what_would_be_valid() -> None:
    response = call(groups=["device"], body="not JSON", headers={"content-type": "text/plain"})

    assert response["statusCode"] == 403
    assert "errors" not in json.loads(response["body"])


def test_a_caller_is_forgotten_after_the_request() -> None:
    call(subject="me")
    response = call(groups=[], subject="me")

    assert response["statusCode"] == 403
    with pytest.raises(KeyError):
        _ = app.caller


@pytest.mark.parametrize("route", ["GET /others", "$default", "DELETE /things/{id}"])
def test_a_route_that_is_not_ours_is_nobodys(route: str) -> None:
    assert call(route=route)["statusCode"] == 403


@pytest.mark.parametrize("name", ["form", "", "limit ", "\ud800", "a" * 5000], ids=ascii)
def test_a_parameter_that_the_route_does_not_know_is_refused_in_words_that_can_be_sent(name: str) -> None:
    response = call(query={name: "x"})

    assert response["statusCode"] == 400
    assert response["body"].encode()


BODY: Final = "PUT /bodies"


class Body(BaseModel):
    """One object."""

    colour: str


bodies = HttpApi()


@bodies.serves(BODY, groups=ADMINS)
def put_body(body: Body) -> Response:
    return respond(HTTPStatus.OK, body.model_dump())


@pytest.mark.parametrize("array", ['[{"colour": "red"}]', ' \n[{"colour": "red"}, {"colour": "blue"}]', "[]", "[[]]"])
def test_an_array_is_no_body_although_its_first_member_would_be(array: str) -> None:
    response = bodies.handler(http_event(BODY, body=array), LocalContext("things-command"))

    assert response["statusCode"] == 400


@pytest.mark.parametrize("no_store", [False, True])
@pytest.mark.parametrize(
    ("parts", "status"), [({}, 200), ({"groups": ["visitors"]}, 403), ({"query": {"unknown": "x"}}, 400)], ids=str
)
def test_what_nobody_may_keep_says_so_in_every_response_refusals_included(
    parts: dict[str, Any], status: int, *, no_store: bool
) -> None:
    private = HttpApi(no_store=no_store)
    private.serves(ROUTE, groups=ADMINS)(put_nothing)

    response = private.handler(http_event(ROUTE, **({"path": {"id": "x"}} | parts)), LocalContext("things-command"))

    assert (response["statusCode"], response["headers"].get("Cache-Control") == "no-store") == (status, no_store)


def put_nothing() -> Response:
    return respond(HTTPStatus.OK)
