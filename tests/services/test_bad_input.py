"""Whatever a client sends: problem details, nothing written, nothing told, nothing leaked."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from andon.packages.discovery import owner_of_route
from andon.testing.lambda_context import LambdaContext
from andon.testing.lambda_events import http_event
from andon.testing.loop import Loop
from tests.support.services.reports import (
    ACKNOWLEDGE,
    ACKNOWLEDGEMENT,
    ASSIGN,
    ASSIGNMENT,
    AT,
    EPISODES,
    ESCALATE,
    ESCALATIONS,
    LATEST,
    LOGS,
    OPERATOR_LOGS,
    REPORT,
    ROSTER,
    STAFF,
    STATES,
)
from tests.support.wire import Wire

Event = dict[str, Any]

GOOD: dict[str, Event] = {
    REPORT: {"path": {"id": "d#1", "timestamp": AT}, "body": {"state": "WARNING1"}},
    ASSIGN: {"path": {"id": "d#1", "state": "WARNING1", "timestamp": AT}, "body": {"operator": "Liz"}},
    ESCALATE: {"path": {"id": "d#1", "state": "WARNING1", "timestamp": AT}, "body": {"supervisor": "Sara"}},
    ASSIGNMENT: {"path": {"id": "d#1", "state": "WARNING1", "timestamp": AT}},
    ACKNOWLEDGE: {"path": {"id": "d#1", "state": "WARNING1", "timestamp": AT}},
    ACKNOWLEDGEMENT: {"path": {"id": "d#1", "state": "WARNING1", "timestamp": AT}},
    STAFF: {"path": {"factoryId": "gdl-1"}, "body": {"operators": ["Liz"], "supervisor": "Sara"}},
    ROSTER: {"path": {"factoryId": "gdl-1"}},
    EPISODES: {"path": {"id": "d#1"}},
    STATES: {"path": {"id": "d#1"}},
    LATEST: {"path": {"id": "d#1"}},
    LOGS: {"path": {"id": "d#1"}},
    OPERATOR_LOGS: {"path": {"operator": "Liz"}},
    ESCALATIONS: {"path": {"supervisor": "Sara"}},
}
COMMANDS = {REPORT: "state", ASSIGN: "operator", ESCALATE: "supervisor", STAFF: "supervisor"}
LISTS = [STATES, LOGS, OPERATOR_LOGS, ESCALATIONS, EPISODES]

# No word of these may reach a client.
INSIDES = (
    "Traceback",
    "_TABLE",
    "Table",
    "arn:",
    "boto",
    "dynamodb",
    "DynamoDB",
    "Exception",
    "pydantic",
    "functions/",
    "line 1 in",
    "NoneType",
)


@pytest.fixture(autouse=True)
def nothing_is_written(loop: Loop) -> Iterator[None]:  # noqa: ARG001  the tables are to be there
    """See that no request even tries to write or to publish."""
    with Wire() as wire:
        yield
    assert set(wire.operations) <= {"GetItem", "Query"}


def event_of(route: str, **parts: Any) -> Event:  # noqa: ANN401
    """Make a good request, but for `parts`."""
    return http_event(route, **GOOD[route] | parts)


def send(event: Event) -> Event:
    """Call the handler of an event as Lambda does, and return its response."""
    package, role = owner_of_route(event["routeKey"])
    answer: Event = package.handler(role)(event, LambdaContext("f"))
    return answer


def refused(event: Event, status: int = 400, field: str | None = None) -> Event:
    """Send a bad request, and check that its answer is a problem that says enough and no more."""
    answer = send(event)
    body: Event = json.loads(answer["body"].encode())
    assert answer["statusCode"] == status, body
    assert answer["headers"]["Content-Type"] == "application/problem+json"
    assert answer["headers"]["x-request-id"] == "request-1"
    assert (body["type"], body["status"]) == ("about:blank", status)
    assert body["title"]
    assert body["detail"]
    for word in INSIDES:
        assert word not in answer["body"]
    if status == 400:
        assert body["errors"]
        if field:
            assert {error["field"] for error in body["errors"]} == {field}
    return body


BODIES: dict[str, Any] = {
    "no body": None,
    "an empty body": "",
    "malformed": "{",
    "single quotes": "{'state': 'OK'}",
    "null": "null",
    "a number": "1",
    "a text": '"text"',
    "an array": "[]",
    "an array of bodies": '[{"state": "OK"}]',
    "nothing in it": {},
    "NaN": "NaN",
    "NaN inside": '{"state": NaN}',
    "Infinity": '{"state": -Infinity}',
    "5,000 digits": '{"state": ' + "9" * 5000 + "}",
    "an exponent": '{"state": 1e999}',
    "3,000 deep": "[" * 3000,
    "3,000 deep and closed": '{"state": ' + "[" * 3000 + "]" * 3000 + "}",
    "100,000 deep": "[" * 100_000 + "]" * 100_000,
    "1 MB": json.dumps({"state": "x" * 1_000_000}),
    "1 MB of space": '{"state": "OK"}' + " " * 1_000_000,
    "a lone surrogate": '{"state": "\ud800"}',
    "an escaped lone surrogate": '{"state": "\\ud800"}',
    "a lone surrogate in a name": '{"\\udfff": "OK"}',
    "a byte order mark": '\ufeff{"state": "OK"}',
    "two values": '{"state": "OK"} {"state": "OK"}',
}


@pytest.mark.parametrize("body", list(BODIES.values()), ids=list(BODIES))
@pytest.mark.parametrize("route", list(COMMANDS))
def test_a_body_that_is_no_body_of_the_route_is_refused(route: str, body: object) -> None:
    refused(event_of(route, body=body))


VALUES: list[Any] = [None, 1, 1.5, True, [], {}, ["OK"], {"S": "OK"}, "", "\x00", "OK\x00", "\n", "\u200b", "a/b"]


@pytest.mark.parametrize("value", [*VALUES, "x" * 129], ids=lambda value: ascii(value)[:20])
@pytest.mark.parametrize("route", list(COMMANDS))
def test_a_field_of_the_wrong_type_or_form_is_refused_by_its_name(route: str, value: object) -> None:
    refused(event_of(route, body={**GOOD[route]["body"], COMMANDS[route]: value}), field=f"body.{COMMANDS[route]}")


@pytest.mark.parametrize(
    "state", ["ok", "1OK", "_OK", "O K", "OK#", "WARNING*", "ÖL", "OK\n", " OK", "A" * 33, "NORMAL#2020-04-24T14:50"]
)
def test_a_state_that_is_no_name_of_one_is_refused(state: str) -> None:
    refused(event_of(REPORT, body={"state": state}), field="body.state")
    refused(event_of(ASSIGN, path=GOOD[ASSIGN]["path"] | {"state": state}), field="path.state")


@pytest.mark.parametrize("detail", [1, True, [], {}, ["x"], {"a": {"b": "c"}}], ids=repr)
def test_a_detail_is_text(detail: object) -> None:
    refused(event_of(REPORT, body={"state": "OK", "detail": detail}), field="body.detail")


@pytest.mark.parametrize(
    "name", ["equipmentId", "timestamp", "reportedBy", "ttl", "version", "__proto__", "", "é", "🏭"]
)
@pytest.mark.parametrize("route", list(COMMANDS))
def test_a_field_that_the_body_does_not_have_is_refused_by_its_name(route: str, name: str) -> None:
    refused(event_of(route, body={**GOOD[route]["body"], name: "x"}), field=f"body.{name}")


@pytest.mark.parametrize("route", list(COMMANDS))
def test_base64_that_is_not_utf8_is_refused(route: str) -> None:
    for content in (b"\xff\xfe", b'{"state": "\xed\xa0\x80"}'):
        encoded = base64.b64encode(content).decode()
        refused(event_of(route) | {"body": encoded, "isBase64Encoded": True}, field="body")
    refused(event_of(route) | {"body": "not base64!", "isBase64Encoded": True}, field="body")


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "text/plain",
        "text/json",
        "application/xml",
        "",
        ";",
        "application/json, text/plain",
    ],
)
@pytest.mark.parametrize("route", list(COMMANDS))
def test_another_content_type_than_json_is_refused(route: str, content_type: str) -> None:
    refused(event_of(route, headers={"content-type": content_type}), field="header.content-type")


IDS = ["", "a/b", "/", "x" * 129, "\x00", "a\x00", "a\nb", "\t", "\u200b", "\u202e", "\ud800", "\ufeff"]


@pytest.mark.parametrize("value", IDS, ids=ascii)
@pytest.mark.parametrize("route", list(GOOD))
def test_an_id_that_can_name_nothing_is_refused(route: str, value: str) -> None:
    name = next(iter(GOOD[route]["path"]))
    refused(event_of(route, path=GOOD[route]["path"] | {name: value}), field=f"path.{name}")


TIMES = [
    "",
    "now",
    "1587739800000",
    "2020-04-24",
    "2020-04-24 14:50:00Z",
    "2020-04-24T14:50:00z",
    "2020-04-24T14",
    "20200424T145000Z",
    "2020-W17-5T14:50Z",
    "2020-115T14:50Z",
    "2020-02-30T14:50:00Z",
    "2020-04-24T24:00:00Z",
    "2020-04-24T14:60:00Z",
    "2020-04-24T14:50:60Z",
    "2020-04-24T14:50:00.Z",
    "2020-04-24T14:50:00.1234567890Z",
    "2020-04-24T14:50:00+24:00",
    "2020-04-24T14:50:00+0200",
    "2020-04-24T14:50:00Z#NORMAL",
    "2020-04-24T14:50:00Z\n",
    "٢٠٢٠-٠٤-٢٤T14:50:00Z",
    "-2020-04-24T14:50:00Z",
    "12020-04-24T14:50:00Z",
    "0000-01-01T00:00:00Z",
]
# Times that exist, and whose UTC does not.
BEYOND = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


@pytest.mark.parametrize("at", TIMES, ids=ascii)
@pytest.mark.parametrize("route", [REPORT, ASSIGN, ASSIGNMENT, ACKNOWLEDGE, ACKNOWLEDGEMENT])
def test_a_time_that_is_none_is_refused(route: str, at: str) -> None:
    refused(event_of(route, path=GOOD[route]["path"] | {"timestamp": at}), field="path.timestamp")


@pytest.mark.parametrize("at", BEYOND)
def test_a_time_whose_utc_does_not_exist_is_refused(at: str) -> None:
    refused(event_of(REPORT, path={"id": "d#1", "timestamp": at}), field="path.timestamp")
    refused(event_of(STATES, query={"from": at}), field="query.from")
    refused(event_of(STATES, query={"to": at}), field="query.to")


@pytest.mark.parametrize(
    "at", ["9999-12-31T23:59:59.999Z", "2021-01-01T00:00Z", "0001-01-01T00:00Z", "1970-01-01T00:00Z"]
)
@pytest.mark.parametrize("route", [REPORT, ASSIGN, ESCALATE, ACKNOWLEDGE])
def test_a_time_far_ahead_or_long_gone_is_refused(route: str, at: str) -> None:
    refused(event_of(route, path=GOOD[route]["path"] | {"timestamp": at}), field="path.timestamp")


@pytest.mark.parametrize(
    "limit", ["0", "-1", "1001", "10001", "1_0", " 5 ", "5 ", "+5", "05", "5.0", "1e2", "٣", "x", ""]
)
@pytest.mark.parametrize("route", LISTS)
def test_a_limit_that_is_no_whole_number_within_bounds_is_refused(route: str, limit: str) -> None:
    refused(event_of(route, query={"limit": limit}), field="query.limit")


@pytest.mark.parametrize("route", [STATES, OPERATOR_LOGS])
def test_a_range_is_refused_if_it_ends_before_it_begins_or_if_an_end_is_no_time(route: str) -> None:
    refused(event_of(route, query={"from": "2020-04-25", "to": "2020-04-24"}), field="query.from")
    refused(event_of(route, query={"from": "2020-04-24T14:50:00.001Z", "to": "2020-04-24T14:50"}), field="query.from")
    for at in (time for time in TIMES if time not in {"", "2020-04-24"}):
        refused(event_of(route, query={"from": at}), field="query.from")
        refused(event_of(route, query={"to": at}), field="query.to")


@pytest.mark.parametrize(("route", "name"), [(STATES, "from"), (STATES, "to"), (OPERATOR_LOGS, "from")])
def test_an_empty_end_of_a_range_does_not_mean_everything(route: str, name: str) -> None:
    refused(event_of(route, query={name: ""}), field=f"query.{name}")


STATE_FILTERS = [
    "*",
    "",
    "**",
    "WARN*ING",
    "WARNING**",
    "*WARNING",
    "warning",
    "W#",
    "WARNING1#",
    "A" * 33,
    "WARNING1*1",
]


@pytest.mark.parametrize("state", STATE_FILTERS)
@pytest.mark.parametrize("route", [LOGS, ESCALATIONS])
def test_a_filter_that_is_no_state_and_no_beginning_of_one_is_refused(route: str, state: str) -> None:
    refused(event_of(route, query={"state": state}), field="query.state")


@pytest.mark.parametrize(
    "query",
    [
        {"date": "2020-04-24"},
        {"date": "2020-04-24", "state": "WARNING*"},
        {"date": "", "state": "WARNING1"},
        {"date": "2020-04", "state": "WARNING1"},
        {"date": "2020-02-30", "state": "WARNING1"},
        {"date": "2020-04-24T14:50", "state": "WARNING1"},
        {"date": "2020-04-24#", "state": "WARNING1"},
    ],
    ids=str,
)
def test_a_date_is_refused_unless_it_is_one_and_has_an_exact_state(query: dict[str, str]) -> None:
    refused(event_of(ESCALATIONS, query=query), field="query.date")


@pytest.mark.parametrize("name", ["form", "Limit", "limit[]", "state ", "", "é", "\ud800", "date'--"], ids=ascii)
@pytest.mark.parametrize("route", list(GOOD))
def test_a_parameter_that_the_route_does_not_have_is_refused(route: str, name: str) -> None:
    refused(event_of(route, query={name: "x"}))


@pytest.mark.parametrize(
    ("route", "query"),
    [
        (LOGS, {"state": "WARNING1,ERROR"}),  # how the gateway writes a parameter that came twice
        (STATES, {"limit": "5,6"}),
        (STATES, {"from": "2020-04-24,2020-04-25"}),
        (ESCALATIONS, {"state": "WARNING1", "date": "2020-04-24,2020-04-25"}),
        (LOGS, {"cursor": "a,b"}),
    ],
    ids=str,
)
def test_a_parameter_that_comes_twice_is_refused(route: str, query: dict[str, str]) -> None:
    refused(event_of(route, query=query))


@pytest.mark.parametrize(
    "tag",
    ["", "*", "1", '"1', '1"', "'1'", 'W/"1"', '"1","2"', '"1", "2"', '"0"', '"01"', '"-1"', '"1_0"', '"٣"', '"1.0"',
     '" 1"', '"1" ', '""', '"abc"', '"99999999999999999999"', "\x00", '"' + "9" * 5000 + '"'],
    ids=lambda tag: ascii(tag)[:20],
)  # fmt: skip
@pytest.mark.parametrize("route", [ASSIGN, ESCALATE, STAFF])
def test_an_if_match_that_is_not_one_quoted_version_is_refused(route: str, tag: str) -> None:
    refused(event_of(route, headers={"if-match": tag}), field="header.if-match")


@pytest.mark.parametrize("route", list(GOOD))
def test_the_wrong_group_is_refused_before_the_request_is_even_looked_at(route: str) -> None:
    nobody = {"groups": ["nobody"], "query": {"unknown": "x"}}
    bad = {"path": dict.fromkeys(GOOD[route]["path"], "/"), "body": "not JSON", "headers": {"content-type": "x/y"}}

    problem = refused(event_of(route, **nobody | bad), 403)

    assert "errors" not in problem


@pytest.mark.parametrize(
    ("route", "groups"),
    [
        (REPORT, ["supervisor", "auditor", "analyst"]),
        (ASSIGN, ["device", "auditor", "analyst"]),
        (ESCALATE, ["device", "auditor", "analyst"]),
        (ACKNOWLEDGE, ["device", "auditor", "analyst"]),
        (STAFF, ["device", "operator", "auditor", "analyst"]),
        *((route, ["device"]) for route in GOOD if route.startswith("GET")),
    ],
)
def test_who_may_not_call_a_route_is_refused(route: str, groups: list[str]) -> None:
    refused(event_of(route, groups=groups), 403)


@pytest.mark.parametrize(
    ("route", "groups"),
    [
        (REPORT, ["device", "operator"]),
        (ASSIGN, ["operator", "supervisor"]),
        (ESCALATE, ["operator", "supervisor"]),
        (ACKNOWLEDGE, ["operator", "supervisor"]),
        (STAFF, ["supervisor"]),
        *((route, ["operator", "supervisor", "auditor", "analyst"]) for route in GOOD if route.startswith("GET")),
    ],
)
def test_who_may_call_a_route_is_told_what_is_wrong_with_the_request(route: str, groups: list[str]) -> None:
    for group in [*groups, "admin"]:
        refused(event_of(route, groups=[group], query={"unknown": "x"}), field="query.unknown")


@pytest.mark.parametrize("authorizer", [{}, {"jwt": {}}, {"jwt": {"claims": {}}}, {"jwt": {"claims": {"sub": "x"}}}])
@pytest.mark.parametrize("route", list(GOOD))
def test_a_request_without_claims_is_refused(route: str, authorizer: Event) -> None:
    event = event_of(route)
    event["requestContext"]["authorizer"] = authorizer
    refused(event, 403)

    del event["requestContext"]["authorizer"]
    refused(event, 403)


@pytest.mark.parametrize("route", list(GOOD))
def test_an_unknown_route_is_refused(route: str) -> None:
    package, role = owner_of_route(route)

    answer = package.handler(role)(http_event("DELETE /everything"), LambdaContext("f"))

    assert answer["statusCode"] == 403
