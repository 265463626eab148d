import base64
from typing import Any

import pytest

from andon.http.arguments import MAX_BODY_BYTES, parse, require_single, text_of
from andon.runtime.errors import Invalid
from andon.testing.lambda_events import http_event

ROUTE = "PUT /things/{id}"


def event_of(body: str | None, **members: object) -> dict[str, Any]:
    return http_event(ROUTE) | {"body": body} | members


def test_a_body_in_base64_is_decoded() -> None:
    event = event_of(base64.b64encode('{"colour": "工"}'.encode()).decode(), isBase64Encoded=True)

    assert text_of(event) == '{"colour": "工"}'


@pytest.mark.parametrize("body", [None, ""])
def test_no_body_is_none(body: str | None) -> None:
    assert text_of(event_of(body)) is None


@pytest.mark.parametrize(
    "body", ["!", "AAA", "é", base64.b64encode(b"\xff\xfe").decode(), base64.b64encode(b"\xed\xa0\x80").decode()]
)
def test_base64_that_is_not_utf8_is_refused(body: str) -> None:
    with pytest.raises(Invalid):
        text_of(event_of(body, isBase64Encoded=True))


def test_the_largest_body_is_taken_and_one_byte_more_is_not() -> None:
    assert text_of(event_of("x" * MAX_BODY_BYTES))
    with pytest.raises(Invalid):
        text_of(event_of("x" * (MAX_BODY_BYTES + 1)))


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/json; charset=utf-8", "Application/JSON ;x=y", None]
)
def test_json_is_taken_however_its_type_is_written(content_type: str | None) -> None:
    headers = {} if content_type is None else {"content-type": content_type}

    assert text_of(event_of("{}", headers=headers)) == "{}"


@pytest.mark.parametrize("query", ["limit=1&limit=2", "limit=1&limit=1", "limit=&limit=", "limit=1&%6cimit=2"])
def test_a_parameter_that_comes_twice_is_refused_by_its_name(query: str) -> None:
    with pytest.raises(Invalid) as refused:
        require_single(query)

    assert [error.field for error in refused.value.fields] == ["query.limit"]


@pytest.mark.parametrize("query", ["", "limit=1", "limit=1&cursor=a%26limit=2", "limit=1,2"])
def test_a_parameter_that_comes_once_is_none_that_comes_twice(query: str) -> None:
    require_single(query)


@pytest.mark.parametrize(
    "content_type",
    [
        *("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"),
        *("application/json-patch+json", "application/jsonx"),
    ],
)
def test_another_type_of_body_is_refused(content_type: str) -> None:
    with pytest.raises(Invalid):
        text_of(event_of("{}", headers={"content-type": content_type}))


def test_what_is_not_json_is_refused_with_a_reason() -> None:
    with pytest.raises(Invalid) as refused:
        parse("{")

    assert refused.value.fields[0].field == "body"
