"""The one request of `andon call`: what is sent, and what of the response is shown."""

import json

import pytest

from andon.tools.called import BY
from andon.tools.stack.api import HttpResponse
from andon.tools.stack.call import exit_code, headers_of, lines_of, sent, words_for
from andon.tools.stack.errors import ToolFailed


def response(status: int, body: object, **headers: str) -> HttpResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status, {"content-type": "application/json", **named}, json.dumps(body).encode())


def test_a_response_is_its_status_the_headers_that_say_something_and_readable_json() -> None:
    shown = lines_of(response(200, {"name": "Öfen"}, etag='"7"', x_after="token", date="today"))

    assert shown == ["200 OK", 'etag: "7"', "x-after: token", '{\n  "name": "Öfen"\n}']


def test_a_problem_is_json_too_and_a_page_is_shown_as_it_is() -> None:
    problem = response(404, {"status": 404}, content_type="application/problem+json; charset=utf-8")
    page = HttpResponse(200, {"content-type": "text/html"}, b"<p>")

    assert lines_of(problem) == ["404 Not Found", '{\n  "status": 404\n}']
    assert lines_of(page) == ["200 OK", "content-type: text/html", "<p>"]


def test_nothing_is_nothing() -> None:
    assert lines_of(HttpResponse(202, {"retry-after": "1"}, b"")) == ["202 Accepted", "retry-after: 1"]
    assert sent(None) is None


def test_a_body_that_is_no_json_and_a_header_without_a_value_are_refused_in_a_sentence() -> None:
    assert sent('{"a": [1]}') == {"a": [1]}
    assert headers_of(['If-Match: "1"', "x: a:b"]) == {"if-match": '"1"', "x": "a:b"}
    with pytest.raises(ToolFailed, match=r"the body is no JSON: .*column 2"):
        sent("{a: 1}")
    with pytest.raises(ToolFailed, match="a header is written as name: value, not as 'if-match'"):
        headers_of(["if-match"])


ROUTES = ("GET /drift", "GET /inventory/{id}", "GET /things/{id}/at/{place}", "PUT /things/{id}", "GET /watch/{id}")


@pytest.mark.parametrize(
    ("request_line", "words"),
    [
        ("GET /inventory/lamp", None),
        ("GET /things/lamp/at/attic", None),
        ("GET /inventroy/lamp", "there is GET /inventory/{id}"),
        ("GET /inventory", "there is GET /inventory/{id}"),
        ("GET /inventory/lamp/place", "there is GET /inventory/{id}, GET /things/{id}/at/{place}"),
        ("GET /inventory/", "there is GET /inventory/{id}"),
        ("GET /things/lamp", "there is PUT /things/{id}"),
        ("GET /thing/lamp/at/attic", "there is GET /things/{id}/at/{place}, PUT /things/{id}"),
        ("GET /xyz", ""),
    ],
)
def test_a_request_that_no_route_answers_is_told_the_nearest_ones(request_line: str, words: str | None) -> None:
    method, _, path = request_line.partition(" ")
    said = words_for(method, path, ROUTES)

    expected = f"there is no route {request_line}; {words}" if words else f"there is no route {request_line}"
    assert said == (None if words is None else expected)


@pytest.mark.parametrize(("by", "status", "code"), [("andon", 200, 0), ("andon", 404, 1), ("make", 404, 0)])
def test_a_refusal_is_an_error_but_not_one_that_make_would_add_to(
    by: str, status: int, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BY, by)

    assert exit_code(status) == code
