"""Whatever a client sends in place of what a route takes: the field is named, and nothing is written, told or leaked.

Each route's good request is its sample; its parameters are those that `docs/openapi.json` has.
"""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache, reduce
from http import HTTPStatus
from operator import getitem
from typing import Any, Final

import pytest
from jsonschema_rs import Validator, validator_for

from andon.http.schemas import PERSONAL, PERSONAL_DATA
from andon.packages.discovery import owner_of_route, services
from andon.project import project
from andon.testing.environment import LocalContext
from andon.testing.loop import Loop
from andon.testing.samples import paths, read
from andon.testing.wire import Wire
from andon.tools.in_process import openapi
from tests.support.documented import texts_in
from tests.support.services import reports
from tests.support.services.reports import AT, ESCALATIONS, LOGS, OPERATOR_LOGS, REPORT, STATES

Event = dict[str, Any]

INSIDES: Final = re.compile(r"Traceback|_TABLE|Table|arn:|boto|ynamo|Exception|pydantic|functions/|NoneType")
"""No such word may reach a client."""

LONG: Final = "x" * 129
HARMFUL: Final = ("\x00", "a\nb", "\u200b", "a\u202eb", "\ufeffa", "a\uffff", "a\U0001fffe", "a\x1b[2J")
IDS: Final = ("", " ", "a ", " a", ".", "..", "/", "a/b", "a?b", "a%3Fb", LONG, *HARMFUL)
NO_PEOPLE: Final = ("Ana", "ana", "Ana Ruiz", "李娜", "ana-7", "OP-17", "op_17", "op-٣٣", "op-17\n", "-17", "7")
TEXTS: Final = (" ", *(text for text in HARMFUL if "\n" not in text))
DAYS: Final = ("now", "1587739800000", "2020-02-30", "2020-04", "20200424", "2020-W17-5", "2020-04-24#", "٢٠٢٠-٠٤-٢٤")
TIMES: Final = (
    *DAYS, "2020-04-24", "2020-04-24  14:50:00Z", "2020-04-24T14:50:00zz", "2020-04-24T14", "20200424T145000Z",
    "2020-02-30T14:50:00Z", "2020-04-24T24:00:00Z", "2020-04-24T14:60:00Z", "2020-04-24T14:50:60Z",
    "2020-04-24T14:50:00.Z", "2020-04-24T14:50:00.1234567890Z", "2020-04-24T14:50:00+24:00",
    "2020-04-24T14:50:00+020", "2020-04-24T14:50:00Z#NORMAL", "2020-04-24T14:50:00Z\n", "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00",  # whose UTC does not exist
)  # fmt: skip
AHEAD_OR_GONE: Final = ("9999-12-31T23:59:59.999Z", "2021-01-01T00:00Z", "0001-01-01T00:00Z", "1970-01-01T00:00Z")
ENDS: Final = ("", *(time for time in TIMES if time != "2020-04-24"), "2020-04-24,2020-04-25")
STATE_NAMES: Final = ("", "ok", "1OK", "_OK", "O K", "OK#", "WARNING*", "ÖL", "OK\n", " OK", "A" * 33, f"NORMAL#{AT}")
FILTERS: Final = ("", "*", "**", "WARN*ING", "WARNING**", "*WARNING", "warning", "W#", "A" * 33, "WARNING1,ERROR")
NUMBERS: Final = ("", "0", "-1", "1_0", " 5 ", "5 ", "+5", "05", "5.0", "1e2", "٣", "x", "5,6", "10000000000")
PLACES: Final = ("", "/", "MX/", "/MX", "MX//JAL", "MX#JAL", "#", "a/b/c/d/e/f/g", "\x00", "MX/\u200b", LONG)
TAGS: Final = (
    "", "**", "1", '"1', '1"', "'1'", "W/1", '"1",', '*,"1"', '"0"', '"01"', '"-1"', '"1_0"', '"٣"', '"1.0"', '" 1"',
    '""', '"abc"', '"99999999999999999999"', "\x00", '"' + "9" * 5000 + '"',
)  # fmt: skip
TOKENS: Final = ("", "x", "null", "bm8", "e30", "%", "a,b", "\x00", "é", "W3t9LCIiXQ", "A" * 9_000)
WRONG: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("id", "factoryid", "part", "company"), (*IDS, "\ud800")),
    **dict.fromkeys(("operator", "supervisor"), (*IDS, "\ud800", *NO_PEOPLE)),
    "timestamp": ("", *TIMES),
    **dict.fromkeys(("asof", "knownat"), ("", *TIMES)),
    **dict.fromkeys(("from", "to"), ENDS),
    "date": ("", *DAYS),
    "ids": ("", ",", "op-17,", "op-17,Ana", "op-17 ,op-18", ",".join(["op-17"] * 101), *IDS),
    "state": STATE_NAMES,
    "view": IDS,
    "query.state": FILTERS,
    "n": NUMBERS,
    "limit": (*NUMBERS, "1001"),
    "location": PLACES,
    "if-match": TAGS,
    **dict.fromkeys(("cursor", "after"), TOKENS),
}
"""Wrong values of parameters, by name, or by place and name where that matters."""

TAKEN: Final = {"if-none-match", "accept", "view", "job"}
"""Parameters of which any text is one: there is none of that name."""

DOCUMENT: Final = json.loads(openapi.DOCUMENT.read_text())
GOOD: Final = {read(path)["routeKey"]: read(path) for path in paths("http")}
OPERATIONS: Final = {
    f"{method.upper()} {path}": operation for path, of in DOCUMENT["paths"].items() for method, operation in of.items()
}
PARAMETERS: Final = [
    (route, one["in"], one["name"])
    for route, operation in OPERATIONS.items()
    for one in operation.get("parameters", ())
    if one["name"].lower() not in TAKEN
]
WITH_BODY: Final = [route for route, operation in OPERATIONS.items() if "requestBody" in operation]
JSON: Final = "application/json"
PLACE_OF: Final = {"path": "pathParameters", "query": "queryStringParameters", "header": "headers"}


@pytest.fixture(autouse=True)
def nothing_is_written(loop: Loop) -> Iterator[Wire]:  # noqa: ARG001  the tables are to be there
    """See that no request even tries to write or to publish."""
    with Wire() as wire:
        yield wire
    assert set(wire.operations) <= {"GetItem", "Query", "BatchGetItem"}


def send(event: Event) -> Event:
    package, role = owner_of_route(event["routeKey"])
    answer: Event = package.handler(role)(event, LocalContext("f"))
    return answer


def refused_fields(event: Event) -> set[str]:
    """Send a bad request, and check that its answer is a problem that says enough and no more; return the fields."""
    answer = send(event)
    body = json.loads(answer["body"].encode())
    assert (answer["statusCode"], answer["headers"]["Content-Type"]) == (400, "application/problem+json"), body
    assert not INSIDES.search(answer["body"])
    return {error["field"].lower() for error in body["errors"]}


def changed(route: str, place: str, name: str, value: str) -> Event:
    """Return the good request of a route, but for one parameter."""
    parts = {**GOOD[route].get(PLACE_OF[place], {}), name.lower() if place == "header" else name: value}
    return {**GOOD[route], PLACE_OF[place]: parts}


@pytest.mark.parametrize(("route", "place", "name"), PARAMETERS, ids=str)
def test_a_parameter_that_is_none_is_refused_by_its_name(route: str, place: str, name: str) -> None:
    known = f"{place}.{name}".lower()
    for value in WRONG.get(known, WRONG.get(name.lower(), ())):
        assert refused_fields(changed(route, place, name, value)) == {known}, ascii(value)


@pytest.mark.parametrize("route", OPERATIONS)
def test_a_parameter_that_the_route_does_not_have_is_refused(route: str) -> None:
    for name in ("form", "Limit", "limit[]", "state ", "", "é", "\ud800", "date'--"):
        assert refused_fields(changed(route, "query", name, "x"))


@pytest.mark.parametrize("route", WITH_BODY)
def test_a_body_that_is_no_body_of_the_route_is_refused(route: str) -> None:
    good = json.loads(GOOD[route]["body"])
    for body in ("", "{", "null", "1", '"text"', '{"state": NaN}', '["x"]', '{"x": "\\ud800"}', "[" * 3000):
        assert refused_fields({**GOOD[route], "body": body})
    for name in ("owner", "ttl", "version", "__proto__", "", "é") if isinstance(good, dict) else ():
        assert refused_fields({**GOOD[route], "body": json.dumps({**good, name: "x"})}) == {f"body.{name}"}


def lists(schema: Event, body: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:  # noqa: ANN401  as below
    """Yield the places of all lists in a body, each with the greatest length of one as the last part."""
    schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    if schema.get("type") == "array":
        yield (*path, schema["maxItems"])
    for name, inner in schema.get("properties", {}).items():
        yield from lists(inner, body[name], *path, name) if name in body else ()


LISTS_IN_BODIES: Final = [
    (route, place)
    for route in WITH_BODY
    for content in OPERATIONS[route]["requestBody"]["content"].values()
    for place in lists(content["schema"], json.loads(GOOD[route]["body"]))
]


@pytest.mark.parametrize(("route", "place"), LISTS_IN_BODIES, ids=str)
def test_the_length_of_a_list_is_looked_at_before_each_of_its_members(route: str, place: tuple[Any, ...]) -> None:
    *path, most = place
    body: Any = [7] * (most + 1)
    if path:
        body, wrong = deepcopy(json.loads(GOOD[route]["body"])), body
        reduce(getitem, path[:-1], body)[path[-1]] = wrong

    assert refused_fields({**GOOD[route], "body": json.dumps(body)}) == {".".join(["body", *path])}


@pytest.mark.parametrize("route", [route for route in WITH_BODY if not GOOD[route]["body"].startswith("[")])
def test_members_are_counted_before_each_of_them_is_looked_at(route: str) -> None:
    many = json.loads(GOOD[route]["body"]) | dict.fromkeys(map(str, range(110)), 1)

    assert refused_fields({**GOOD[route], "body": json.dumps(many)}) == {"body"}


def leaves(body: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:  # noqa: ANN401  JSON is any
    """Yield the places of all texts in a body."""
    if isinstance(body, str):
        yield path
    for name, part in body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ():
        yield from leaves(part, *path, name)


NAMED: Final = (
    "{route} takes a person's name as {name}: let it take ids, or say in its schema whether that is personal data, as "
    "IMPERSONAL of andon.http.schemas does"
)
WRONG_IN_BODIES: Final = {
    **dict.fromkeys(("name", "result", "notes", "detail"), TEXTS),
    **dict.fromkeys(("timestamp", "validFrom"), TIMES),
    **dict.fromkeys(("from", "to"), ENDS),
    "state": STATE_NAMES,
    "view": IDS,
}
"""Wrong values of texts by their names, without indexes of lists; of all others: what is no id of their kind."""
LEAVES: Final = [(route, place) for route in WITH_BODY for place in leaves(json.loads(GOOD[route]["body"]))]


def with_text(route: str, place: tuple[str | int, ...], text: object) -> Event:
    """Return the good request of a route, but for one text of its body."""
    body = json.loads(GOOD[route]["body"])
    reduce(getitem, place[:-1], body)[place[-1]] = text
    return {**GOOD[route], "body": json.dumps(body)}


@cache  # compiling a pattern of Unicode's classes takes some 0.1 s, and many texts have the same
def validator_of(schema: str) -> Validator:
    """Return the validator of a schema, which is JSON."""
    return validator_for(json.loads(schema), validate_formats=True)


def validators_of(route: str) -> dict[str, Validator]:
    """Return the validator of each text in the body of a route, by its name."""
    body = OPERATIONS[route].get("requestBody", {"content": {JSON: {"schema": {}}}})["content"][JSON]["schema"]
    return {name: validator_of(json.dumps(schema, sort_keys=True)) for name, schema in texts_in(DOCUMENT, body)}


def declared(route: str) -> dict[str, str]:
    """Return what the texts of a route's parameters and body that take any words say of themselves, by their names."""
    body = OPERATIONS[route].get("requestBody", {"content": {JSON: {"schema": {}}}})["content"][JSON]["schema"]
    named = [(f"{one['in']}.{one['name']}", one["schema"]) for one in OPERATIONS[route].get("parameters", ())]
    return {
        name: schema[PERSONAL_DATA] for name, schema in (*named, *texts_in(DOCUMENT, body)) if PERSONAL_DATA in schema
    }


def wrong_ids(route: str, name: str) -> tuple[str, ...]:
    """Return texts that are no id of a person; of what takes any words, those that its schema refuses, too."""
    if name not in declared(route):
        return (*IDS, *NO_PEOPLE)
    return tuple(text for text in IDS if not validators_of(route)[name].is_valid(text))


@pytest.mark.parametrize(("route", "place"), LEAVES, ids=str)
def test_a_text_in_a_body_that_is_none_is_refused_by_its_name(route: str, place: tuple[str | int, ...]) -> None:
    name = ".".join(part for part in place if isinstance(part, str))
    for wrong in (7, {"S": "x"}, *WRONG_IN_BODIES.get(name, wrong_ids(route, name))):
        fields = refused_fields(with_text(route, place, wrong))
        assert any(field.startswith(f"body.{place[0]}".lower()) for field in fields), (ascii(wrong), fields)


def calling_somebody(route: str) -> Iterator[tuple[str, Event]]:
    """Yield the name of each text of a route, and the route's good request with a person's name in its place."""
    for one, place, name in PARAMETERS:
        if one == route:
            yield f"{place}.{name}", changed(route, place, name, "Ana")
    for one, leaf in LEAVES:
        if one == route:
            yield ".".join(part for part in leaf if isinstance(part, str)), with_text(route, leaf, "Ana")


@pytest.mark.parametrize("route", OPERATIONS)
def test_no_text_takes_a_persons_name_but_what_says_so(route: str, nothing_is_written: Wire) -> None:
    for name, event in calling_somebody(route):
        if name not in declared(route):
            assert send(event)["statusCode"] == HTTPStatus.BAD_REQUEST, NAMED.format(route=route, name=name)
            assert refused_fields(event)
    assert not nothing_is_written.operations, "by its pattern alone, without a read"

    taking = {name for name, validator in validators_of(route).items() if validator.is_valid("Ana")}
    assert taking <= declared(route).keys(), "also what no sample has"


def test_only_the_directory_of_people_and_of_their_addresses_takes_personal_data() -> None:
    people = project().people
    taking = {owner_of_route(route)[0] for route in OPERATIONS if PERSONAL[PERSONAL_DATA] in declared(route).values()}
    tables = {people.table, "CONTACTS_TABLE"} if people else set()

    assert people
    assert {package for package in services() if tables & package.tables.keys()} == taking


@pytest.mark.parametrize("at", AHEAD_OR_GONE)
@pytest.mark.parametrize("route", [REPORT, reports.ASSIGN, reports.ESCALATE, reports.ACKNOWLEDGE])
def test_a_time_far_ahead_or_long_gone_is_refused(route: str, at: str) -> None:
    assert refused_fields(changed(route, "path", "timestamp", at)) == {"path.timestamp"}


@pytest.mark.parametrize(
    ("route", "query", "field"),
    [
        *((route, {"from": "2020-04-25", "to": "2020-04-24"}, "query.from") for route in (STATES, OPERATOR_LOGS, LOGS)),
        (STATES, {"from": "2020-04-24T14:50:00.001Z", "to": "2020-04-24T14:50"}, "query.from"),
        (LOGS, {"state": "WARNING*", "from": "2020-04-24"}, "query.from"),
        (ESCALATIONS, {"date": "2020-04-24"}, "query.date"),
        (ESCALATIONS, {"date": "2020-04-24", "state": "WARNING*"}, "query.date"),
    ],
    ids=str,
)  # fmt: skip
def test_a_range_that_the_key_cannot_answer_is_refused(route: str, query: dict[str, str], field: str) -> None:
    assert refused_fields({**GOOD[route], "queryStringParameters": query}) == {field}
