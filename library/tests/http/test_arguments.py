"""The arguments of a route's function: they are what its annotations say, or each that is not is named."""

import json
from http import HTTPStatus
from typing import Annotated, Any, Final

import pytest
from aws_lambda_powertools.event_handler.openapi.params import Path as PathOfPowertools
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from andon.http.arguments import BODY, arguments_of
from andon.http.http_api import HttpApi
from andon.http.models import RequestModel
from andon.http.page import DEFAULT_LIMIT
from andon.http.parameters import Header, IfMatch, Limit, Path, Query
from andon.http.response import Response, respond
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event

ROUTE: Final = "PUT /things/{id}/parts/{part}"
LIST: Final = "PUT /things"
ADMINS: Final = frozenset({"admin"})
ANY_TEXT: Final = st.text(st.characters(codec="utf-8"), min_size=1)
NO_OBJECTS: Final = st.one_of(
    st.booleans(), st.integers(-9, 9), st.text(max_size=3), st.lists(st.just({"colour": "red"}), max_size=2)
)


class ThingBody(RequestModel):
    """A thing, with what it is made of."""

    colour: str
    inner: "ThingBody | None" = None


Things = Annotated[list[ThingBody], Field(min_length=1, max_length=2)]

app = HttpApi()
given_last: dict[str, Any] = {}


@app.serves(ROUTE, groups=ADMINS)
def put_thing(
    thing_id: Annotated[str, Path(alias="id")],
    part: Annotated[int, Path()],
    body: ThingBody,
    limit: Limit = DEFAULT_LIMIT,
    note: Annotated[str | None, Query()] = None,
    if_match: IfMatch = None,
    agent: Annotated[str | None, Header(alias="User-Agent")] = None,
) -> Response:
    given_last.update(locals())
    return respond(HTTPStatus.OK)


@app.serves(LIST, groups=ADMINS)
def put_things(things: Things) -> Response:
    given_last.update(things=things)
    return respond(HTTPStatus.OK)


def call(route: str = ROUTE, **parts: Any) -> dict[str, Any]:  # noqa: ANN401
    given_last.clear()
    parts = {"path": {"id": "t-1", "part": "7"}, "body": {"colour": "red"}} | parts
    return app.handler(http_event(route, **parts), LocalContext("things-command"))


def named_in(response: dict[str, Any]) -> list[str]:
    assert response["statusCode"] == 400
    return [error["field"] for error in json.loads(response["body"])["errors"]]


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_what_was_sent_reaches_the_function_whatever_stands_in_it(thing_id: str, note: str, colour: str) -> None:
    query, headers = {"note": note, "limit": "5"}, {"if-match": '"3"', "user-agent": "a, b"}
    body = {"colour": colour, "inner": {"colour": note}}

    response = call(path={"id": thing_id, "part": "7"}, query=query, headers=headers, body=body)

    inner = ThingBody(colour=note)
    assert response["statusCode"] == 200
    assert given_last == {
        "thing_id": thing_id,
        "part": 7,
        "body": ThingBody(colour=colour, inner=inner),
        "limit": 5,
        "note": note,
        "if_match": 3,
        "agent": "a, b",
    }


def test_what_was_not_sent_has_its_default() -> None:
    assert call()["statusCode"] == 200
    assert [given_last[name] for name in ("limit", "note", "if_match", "agent")] == [DEFAULT_LIMIT, None, None, None]


WRONG: Final[dict[str, dict[str, Any]]] = {  # field -> the parts of a request in which it is wrong
    "path.part": {"path": {"id": "t-1", "part": "x"}},
    "query.limit": {"query": {"limit": "0"}},
    "header.if-match": {"headers": {"if-match": "3"}},
    "body.colour": {"body": {"colour": 5}},
    "query.lim": {"query": {"lim": "1"}},
}


@given(st.sets(st.sampled_from(sorted(WRONG))))
def test_each_offending_field_is_named_at_once_and_in_one_order(wrong: set[str]) -> None:
    parts: dict[str, Any] = {}
    for field in wrong:
        for part, members in WRONG[field].items():
            parts[part] = {**parts.get(part, {}), **members}

    response = call(**parts)

    assert bool(wrong) == (response["statusCode"] == 400)
    assert not wrong or named_in(response) == [field for field in WRONG if field in wrong]
    assert bool(given_last) == (not wrong)


def test_what_is_needed_and_missing_is_named() -> None:
    assert named_in(call(path={}, body=None)) == ["path.id", "path.part", "body"]
    assert named_in(call(body="null")) == ["body"]


@given(NO_OBJECTS)
def test_what_is_no_object_is_refused_without_the_name_of_a_class(value: object) -> None:
    for body, field in ((value, "body"), ({"colour": "red", "inner": value}, "body.inner")):
        response = call(body=json.dumps(body))

        assert named_in(response) == [field]
        assert "must be an object" in response["body"]
        assert "Thing" not in response["body"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ([], ["body"]),
        ({"colour": "red"}, ["body"]),
        ([{"colour": "red"}, {"color": "red"}], ["body.1.colour", "body.1.color"]),
        ([{"colour": "red"}] * 3, ["body"]),
    ],
    ids=str,
)
def test_a_list_of_objects_is_looked_at_one_by_one(body: object, fields: list[str]) -> None:
    assert call(LIST, body=[{"colour": "red"}] * 2)["statusCode"] == 200
    assert len(given_last["things"]) == 2
    assert named_in(call(LIST, body=json.dumps(body))) == fields


def test_two_arguments_cannot_both_be_the_body() -> None:
    def put(one: ThingBody, other: ThingBody) -> None: ...

    with pytest.raises(ValueError, match="one, other: one of them is the body"):
        arguments_of(put)


def test_marks_of_powertools_are_read_as_long_as_projects_have_them() -> None:
    def get(thing_id: Annotated[str, PathOfPowertools(alias="id", description="Its id.")], body: ThingBody) -> None: ...

    with pytest.deprecated_call(match="take Path from andon.http.parameters"):
        thing, body = arguments_of(get)

    assert (thing.part, thing.alias, thing.description, body.part) == ("path", "id", "Its id.", BODY)
