"""One little API, written for `HttpApi` and for Powertools' resolver: clients cannot tell which one answers."""

import base64
import json
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Annotated, Any, Final, NamedTuple, TypedDict

import pytest
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler import Response as TheirResponse
from aws_lambda_powertools.event_handler.api_gateway import Router
from aws_lambda_powertools.event_handler.depends import Depends
from aws_lambda_powertools.event_handler.exceptions import InternalServerError, NotFoundError, ServiceError
from aws_lambda_powertools.event_handler.openapi.params import Body, Form, Path, Query
from aws_lambda_powertools.shared.cookies import Cookie
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from andon.http import parameters
from andon.http.after import NotSeenYet
from andon.http.http_api import HttpApi
from andon.http.http_request import MAX_BODY_BYTES
from andon.http.limits import OfSubject
from andon.http.models import RequestModel
from andon.http.openapi import responses
from andon.http.parameters import After, IfMatch, IfNoneMatch, Limit
from andon.http.places import Stay, names_of
from andon.http.powertools import PowertoolsApi
from andon.http.response import Response, respond
from andon.runtime.errors import CallFailed, NotFound, PreconditionRequired, Stale
from andon.runtime.log import SHARE
from andon.testing.environment import LocalContext
from andon.testing.lambda_events import http_event
from andon.testing.log_lines import LogLines, unlogged
from andon.tools.in_process.openapi import operations_of
from andon.versions.optimistic_lock import Saved

READERS, WRITERS = frozenset({"reader", "writer"}), frozenset({"writer"})
SECRET: Final = "arn:aws:dynamodb:us-east-1:000000000000:table/Secret"
THING, THINGS, BROKEN = "/things/{id}", "GET /things", "POST /things/{id}/failure"
AT_SITE: Final = OfSubject("thing_id", lambda thing: Stay(names_of((thing,))))

FAILURES: Final = {
    "bug": RuntimeError(SECRET),
    "key": KeyError(SECRET),
    "value": ValueError(SECRET),
    "busy": CallFailed("ThrottlingException"),
    "gone": NotFound("It is gone."),
}


class Told(TypedDict):
    """A declared body."""

    name: str


class Size(RequestModel):
    """A member of a body."""

    width: int


class Thing(RequestModel):
    """A body."""

    name: str
    size: Size | None = None
    weights: list[float] = Field(default_factory=list)


Rows = dict[str, dict[str, Any]]
ROWS: Rows = {}


def shown(row: Any) -> dict[str, Any]:  # noqa: ANN401
    return {**row}


def find(api: HttpApi, thing_id: str, if_none_match: str | None) -> Response:
    if thing_id not in ROWS:
        raise NotFound("There is no such thing.")
    return api.found(ROWS[thing_id], to_response=shown, if_none_match=if_none_match)


def keep(api: HttpApi, thing_id: str, thing: Thing, if_match: int | None) -> Response:
    version = ROWS.get(thing_id, {}).get("version", 0)
    if if_match is None and version:
        raise PreconditionRequired("It exists.")
    if if_match is not None and if_match != version:
        raise Stale("It was changed.", version=version or None)
    by = api.caller.subject
    ROWS[thing_id] = {"id": thing_id, "version": version + 1, "by": by, **thing.model_dump(exclude_none=True)}
    return api.saved(Saved(ROWS[thing_id], created=not version), to_response=shown, after="token")


def listed(api: HttpApi, limit: int, after: str | None) -> Response:
    if after is not None:
        raise NotSeenYet
    return respond(
        HTTPStatus.OK, {"ids": sorted(ROWS)[:limit], "scope": api.scope, "of": api.lambda_context.function_name}
    )


def fail(thing_id: str) -> Response:
    raise FAILURES[thing_id]


ours = HttpApi()


@ours.serves(f"GET {THING}", groups=READERS, at=AT_SITE, responses=responses(Told, 200, 304, 404))
def our_get(thing_id: Annotated[str, parameters.Path(alias="id")], if_none_match: IfNoneMatch = None) -> Response:
    return find(ours, thing_id, if_none_match)


@ours.serves(f"PUT {THING}", groups=WRITERS, at=AT_SITE)
def our_put(thing_id: Annotated[str, parameters.Path(alias="id")], body: Thing, if_match: IfMatch = None) -> Response:
    return keep(ours, thing_id, body, if_match)


@ours.serves("PUT /told", groups=WRITERS)
def our_told(body: Told) -> Response:
    return respond(HTTPStatus.OK, body)


@ours.serves(THINGS, groups=READERS)
def our_list(limit: Limit = 10, after: After = None) -> Response:
    return listed(ours, limit, after)


@ours.serves(BROKEN, groups=READERS)
def our_failure(thing_id: Annotated[str, parameters.Path(alias="id")]) -> Response:
    return fail(thing_id)


app = APIGatewayHttpResolver(enable_validation=True)
theirs = PowertoolsApi(app)


@app.get("/things/<id>")
@theirs.allows(groups=READERS, at=AT_SITE, responses=responses(Told, 200, 304, 404))
def get_thing(thing_id: Annotated[str, Path(alias="id")], if_none_match: IfNoneMatch = None) -> Response:
    return find(theirs, thing_id, if_none_match)


@app.put("/things/<id>")
@theirs.allows(groups=WRITERS, at=AT_SITE)
def put_thing(thing_id: Annotated[str, Path(alias="id")], body: Thing, if_match: IfMatch = None) -> Response:
    return keep(theirs, thing_id, body, if_match)


@app.put("/told")
@theirs.allows(groups=WRITERS)
def put_told(body: Told) -> Response:
    return respond(HTTPStatus.OK, body)


@app.get("/things")
@theirs.allows(groups=READERS)
def list_things(limit: Limit = 10, after: After = None) -> Response:
    return listed(theirs, limit, after)


@app.post("/things/<id>/failure")
@theirs.allows(groups=READERS)
def post_failure(thing_id: Annotated[str, Path(alias="id")]) -> Response:
    return fail(thing_id)


@pytest.fixture(autouse=True)
def _no_things(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(SHARE, "1")
    ROWS.clear()
    yield
    ROWS.clear()


class Request(NamedTuple):
    """A request of one of the cases."""

    route: str
    parts: dict[str, Any]

    @property
    def event(self) -> dict[str, Any]:
        parts = dict(self.parts)
        others = parts.pop("event", {})
        return {**http_event(self.route, **({"groups": ["writer"]} | parts)), **others}


def get(thing: str = "a", **parts: Any) -> Request:  # noqa: ANN401
    return Request(f"GET {THING}", {"path": {"id": thing}, **parts})


def put(thing: str = "a", body: object = None, if_match: str | None = None, **parts: Any) -> Request:  # noqa: ANN401
    headers = parts.pop("headers", {}) | ({} if if_match is None else {"if-match": if_match})
    body = {"name": "A"} if body is None else body
    return Request(f"PUT {THING}", {"path": {"id": thing}, "body": body, "headers": headers, **parts})


def things(**query: str) -> Request:
    return Request(THINGS, {"query": query})


def answers(api: HttpApi, requests: list[Request]) -> list[dict[str, Any]]:
    ROWS.clear()
    return [api.handler(request.event, LocalContext("things")) for request in requests]


BASE64: Final = {"isBase64Encoded": True}
IDS: Final = (
    "#",
    '"',
    "\\",
    "?",
    "a b",
    "ü",
    "日本",
    "a/b",
    "%2F",
    "{id}",
    "<id>",
    "..",
    "a\nb",
    "😀",
    "'",
    "^`|",
    "\u0661",
)
SENT: Final = {"event": {"rawQueryString": "limit=1&limit=2"}}

CASES: Final[dict[str, tuple[list[int], list[Request]]]] = {
    "life": (
        [201, 200, 200, 304, 200],
        [put(), get(), put(if_match='"1"'), get(headers={"if-none-match": '"2"'}), get()],
    ),
    "lock": (
        [201, 428, 412, 412, 200],
        [put(), put(), put(if_match='"7"'), put("b", if_match='"1"'), put(if_match="*")],
    ),
    "tags": ([201, 200, 412, 412], [put(), put(if_match='"1", "9"'), put(if_match='"7", "8"'), put(if_match='W/"2"')]),
    "no tag": ([400] * 4, [put(if_match=one) for one in ("1", '"0"', "", '"1";"2"')]),
    "absent": ([404], [get()]),
    "groups": ([403, 403, 200], [put(groups=["reader"]), get(groups=[]), things(limit="1")]),
    "no token": ([403], [get(event={"requestContext": {"requestId": "1", "http": {"method": "GET"}}})]),
    "no access token": ([403], [get(subject="")]),
    "places": (
        [201, 403, 403, 200],
        [put(), get(groups=["reader", "at:b"]), put(groups=["writer", "at:b"]), get(groups=["reader", "at:a"])],
    ),
    "a list of nowhere": ([403], [Request(THINGS, {"groups": ["reader", "at:a"]})]),
    "invalid before elsewhere": ([400], [put(body={}, groups=["writer", "at:b"])]),
    "unknown route": ([403], [Request("GET /others", {})]),
    "list": ([200, 200], [things(), things(limit="3")]),
    "not yet": ([202], [things(after="token")]),
    "limit": ([400] * 6, [things(limit=one) for one in ("0", "1_0", " 5 ", "x", "", "9" * 30)]),
    "unknown query": (
        [400, 400, 400],
        [things(form="1"), things(limit="x", form="1", a="2"), get(query={"limit": "1"})],
    ),
    "twice": ([400], [Request(THINGS, {"query": {"limit": "1,2"}, **SENT})]),
    "comma": ([400], [things(limit="1,2")]),
    **{f"id {one!r}": ([201, 200], [put(one), get(one)]) for one in IDS},
    "body": (
        [400] * 22,
        [
            put(body=one)
            for one in (
                *(
                    '{"name": NaN}',
                    '{"name": Infinity}',
                    '{"name": "\\ud800"}',
                    "{",
                    "[]",
                    "1",
                    "null",
                    '"x"',
                    "{}",
                    " ",
                ),
                *(
                    "[" * 9000,
                    '{"name":' * 9000,
                    '{"name": "a", "weights": [1e999]}',
                    '{"name": "a", "weights": [%s]}' % ("9" * 40),
                ),
                *({"name": 1}, {"name": "a", "more": 1}, {"name": None}, {"name": "a", "size": {"width": "1"}}),
                *(
                    {"name": "a", "size": {"width": 1.5, "height": 2}},
                    {"name": "a", "weights": [1, "x"]},
                    [{"name": "a"}],
                ),
                "x" * (MAX_BODY_BYTES + 1),
            )
        ],
    ),
    "body taken": (
        [201] * 4,
        [
            *(put("a", body='\ufeff{"name": "a"}'), put("b", body='{"name": "x", "name": "ü", "weights": [1, 1e2]}')),
            put("c", headers={"content-type": "Application/JSON; charset=utf-8"}),
            put("d", event={**BASE64, "body": base64.b64encode(b'{"name": "a"}').decode()}),
        ],
    ),
    "no body": ([400, 400], [put(event={"body": None}), put(event={"body": ""})]),
    "no text": ([400, 400], [put(event={**BASE64, "body": one}) for one in ("/w==", "*")]),
    "media type": (
        [400, 400],
        [put(headers={"content-type": one}) for one in ("text/plain", "application/x-www-form-urlencoded")],
    ),
    "declared": ([200, 400], [Request("PUT /told", {"body": one}) for one in ({"name": "a"}, {"name": "a", "b": 1})]),
    "failure": ([500, 500, 500, 503, 404], [Request(BROKEN, {"path": {"id": one}}) for one in FAILURES]),
}


def told(lines: LogLines) -> list[tuple[str, str, int]]:
    found = [(line["level"], line["message"], line["status"]) for line in lines]
    lines.clear()
    return found


@pytest.mark.parametrize("case", CASES)
def test_either_way_a_request_gets_the_same_answer_and_one_line(case: str, log_lines: LogLines) -> None:
    statuses, requests = CASES[case]

    known = answers(ours, requests)
    lines = told(log_lines)
    given = answers(theirs, requests)

    assert [one["statusCode"] for one in known] == statuses
    assert given == known
    assert SECRET not in json.dumps(given)
    assert [status for _, _, status in lines] == statuses
    assert told(log_lines) == lines


TEXTS: Final = st.text(st.characters(), max_size=5)
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "size", "width", "weights", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(thing=TEXTS, body=VALUES, limit=TEXTS, tag=st.sampled_from(['"1"', "*", "x,y", '"1", "2"', "ü"]))
def test_either_way_any_request_gets_the_same_answer(thing: str, body: object, limit: str, tag: str) -> None:
    reads = [get(thing, headers={"if-none-match": tag}), things(limit=limit)]
    requests = [put(thing, body), put(thing, body, tag), *reads]

    with unlogged():
        assert answers(theirs, requests) == answers(ours, requests)


def test_either_way_the_document_says_the_same() -> None:
    known, given = operations_of(ours), operations_of(theirs)

    taken = ("parameters", "requestBody")
    assert known.of.keys() == given.of.keys()
    for key, operation in known.of.items():
        assert [given.of[key].get(name) for name in taken] == [operation.get(name) for name in taken]
    assert given.of[f"GET {THING}"]["responses"] == known.of[f"GET {THING}"]["responses"]
    assert given.models == known.models


ThingId = Annotated[str, parameters.Path(alias="id")]


class Sizes(BaseModel):
    """Several parameters of a query."""

    model_config = ConfigDict(populate_by_name=True)

    width: int = 1
    height: int = Field(2, alias="h")


HAPPENED: list[str] = []


def noted(_: Any, next_middleware: Callable[[Any], TheirResponse[Any]]) -> TheirResponse[Any]:  # noqa: ANN401
    HAPPENED.append("middleware")
    return next_middleware(brought)


def tenant() -> str:
    HAPPENED.append("dependency")
    return theirs_brought.caller.subject


class Taken(Exception):
    """An error of the project's own."""


SERVICE_ERRORS: Final = {
    "missing": NotFoundError("There is none."),
    "teapot": ServiceError(418, {"code": 7}),
    "down": InternalServerError("Come back tomorrow."),
    "taken": Taken(),
}

brought = APIGatewayHttpResolver(enable_validation=True)
theirs_brought = PowertoolsApi(brought)
brought.use([noted])
router = Router()  # type: ignore[no-untyped-call]


def handle_taken(_: Taken) -> TheirResponse[str]:
    return TheirResponse(409, content_type="text/plain", body="taken")


@router.get("/errors/<name>")
@theirs_brought.allows(groups=READERS)
def get_error(name: str) -> dict[str, str]:
    raise SERVICE_ERRORS[name]


@router.get("/sizes")
@theirs_brought.allows(groups=READERS)
def get_sizes(sizes: Annotated[Sizes, Query()], of: Annotated[str, Depends(tenant)]) -> dict[str, Any]:
    return {**sizes.model_dump(), "of": of}


@router.get("/things/<thing_id>/size")
@theirs_brought.allows(groups=READERS, at=AT_SITE)
def get_size(thing_id: Annotated[ThingId, Path(alias="thing_id")], of: Annotated[str, Depends(tenant)]) -> Sizes:
    said: Any = {"width": thing_id, "of": of}
    sizes: Sizes = said
    return sizes


@router.post("/forms")
@theirs_brought.allows(is_public=True)
def post_form(name: Annotated[str, Form()]) -> dict[str, str]:
    return {"name": name}


@router.post("/pairs")
@theirs_brought.allows(groups=READERS)
def post_pair(first: Annotated[int, Body()], second: Annotated[list[int], Body()]) -> tuple[dict[str, Any], int]:
    return {"first": first, "second": second}, 202


@router.get("/raw/<name>", enable_validation=False)
@theirs_brought.allows(groups=READERS)
def get_raw(name: str) -> TheirResponse[bytes]:
    body = json.dumps([name, router.current_event.query_string_parameters]).encode()
    return TheirResponse(200, content_type="image/png", body=body, cookies=[Cookie(name="a", value="b")])


brought.exception_handler(Taken)(handle_taken)
brought.include_router(router)


@theirs_brought.serves("GET /served/{id}", groups=READERS)
def get_served(thing_id: Annotated[str, parameters.Path(alias="id")]) -> Response:
    return respond(HTTPStatus.OK, {"id": thing_id})


def call(route: str, **parts: Any) -> tuple[int, Any]:  # noqa: ANN401
    HAPPENED.clear()
    answer = theirs_brought.handler(Request(route, parts).event, LocalContext("things"))
    return answer["statusCode"], json.loads(answer["body"]) if "json" in answer["headers"]["Content-Type"] else answer


def test_a_service_error_is_a_problem_and_a_handler_of_the_project_is_asked_first(log_lines: LogLines) -> None:
    said = {name: call("GET /errors/{name}", path={"name": name}) for name in SERVICE_ERRORS}

    about, teapot = {"type": "about:blank"}, HTTPStatus.IM_A_TEAPOT.phrase
    assert said["missing"] == (404, about | {"title": "Not Found", "status": 404, "detail": "There is none."})
    assert said["teapot"] == (418, about | {"code": 7, "title": teapot, "status": 418, "detail": teapot})
    assert said["down"][0] == said["down"][1]["status"] == 500
    assert (said["taken"][0], said["taken"][1]["body"]) == (409, "taken")
    assert [(line["level"], line["status"]) for line in log_lines] == [
        *(("INFO", 404), ("INFO", 418), ("ERROR", 500), ("INFO", 409)),
    ]


def test_what_a_project_brings_along_works_and_is_asked_behind_the_decision_who_may() -> None:
    assert call("GET /sizes", query={"h": "5"}, subject="me") == (200, {"width": 1, "height": 5, "of": "me"})
    assert HAPPENED == ["middleware", "dependency"]
    assert call("GET /sizes", query={"height": "5"})[0] == 200
    assert call("GET /things/{thing_id}/size", path={"thing_id": "3"}) == (200, {"width": 3, "h": 2})

    refused: list[tuple[int, dict[str, Any]]] = [
        (403, {"route": "GET /sizes", "groups": []}),
        (400, {"route": "GET /sizes", "query": {"high": "5"}}),
        (400, {"route": "GET /sizes", "query": {"h": "x"}}),
        (403, {"route": "GET /things/{thing_id}/size", "path": {"thing_id": "3"}, "groups": ["reader", "at:4"]}),
    ]
    assert [(call(**request)[0], HAPPENED) for _, request in refused] == [(status, []) for status, _ in refused]


def test_the_document_says_what_the_resolver_knows_and_what_clients_get() -> None:
    operations, models = operations_of(theirs_brought)

    size = operations["GET /sizes"]
    assert [(one["name"], one["in"]) for one in size["parameters"]] == [("width", "query"), ("h", "query")]
    assert [*size["responses"]] == ["200", "400", "403", "429", "503"]
    assert operations["POST /forms"]["requestBody"]["content"].keys() == {FORM["content-type"]}
    assert operations["GET /served/{id}"]["parameters"][0]["name"] == "id"
    assert {"Problem", "Sizes"} <= models.keys()
    assert "HTTPValidationError" not in str((operations, models))


def test_a_response_that_is_not_as_declared_is_our_failure_and_no_fault_of_the_client() -> None:
    status, problem = call("GET /things/{thing_id}/size", path={"thing_id": "wide"})

    assert (status, problem["status"], "wide" in str(problem)) == (500, 500, False)


FORM: Final = {"content-type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, FORM, "name=x"),
        (400, FORM, "other=x"),
        (415, {"content-type": "text/plain"}, "name=x"),
        (400, {"content-type": "multipart/form-data"}, "x"),
        (400, FORM | {"x-base64": "yes"}, "/w=="),
    ],
)
def test_a_form_is_taken_where_a_route_wants_one(status: int, headers: dict[str, str], body: str) -> None:
    event = {"isBase64Encoded": "x-base64" in headers}

    assert call("POST /forms", body=body, headers=headers, event=event)[0] == status


def test_a_list_is_no_value_of_its_own_first_item() -> None:
    assert call("POST /pairs", body={"first": 1, "second": [2, 3]}) == (202, {"first": 1, "second": [2, 3]})
    status, problem = call("POST /pairs", body={"first": [1], "second": [2]})
    assert (status, [one["field"] for one in problem["errors"]]) == (400, ["body.first"])


def test_a_route_that_validates_nothing_may_be_asked_anything_and_answers_bytes_and_cookies() -> None:
    _, answer = call("GET /raw/{name}", path={"name": "#"}, query={"a": "1"})

    assert base64.b64decode(answer["body"]) == b'["#", {"a": "1"}]'
    assert (answer["isBase64Encoded"], answer["cookies"]) == (True, ["a=b; Secure"])


def test_routes_of_the_library_may_stand_beside() -> None:
    assert call("GET /served/{id}", path={"id": "#"}) == (200, {"id": "#"})
    assert set(theirs_brought.declared) > {"GET /served/{id}", "GET /sizes", "POST /forms"}
    assert theirs_brought.declared["POST /forms"].is_public


def test_a_route_without_access_and_access_without_a_route_are_refused() -> None:
    resolver = APIGatewayHttpResolver()
    api = PowertoolsApi(resolver)
    resolver.get("/open/<id>")(shown)

    @api.allows(groups=READERS)
    def nowhere() -> None: ...

    with pytest.raises(ValueError, match=r"GET /open/\{id\}.*nowhere"):
        _ = api.declared
    with pytest.raises(ValueError, match="must be for groups"):
        api.allows()(shown)
    with pytest.raises(ValueError, match="json_body_deserializer"):
        PowertoolsApi(APIGatewayHttpResolver(json_body_deserializer=json.loads))
    resolver.use([noted])
    with pytest.raises(ValueError, match="before PowertoolsApi"):
        PowertoolsApi(resolver)
