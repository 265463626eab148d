"""The handlers do what docs/openapi.json says, whatever is sent: schemathesis makes the requests up."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import settings
from schemathesis import Case
from schemathesis.checks import negative_data_rejection, positive_data_acceptance, unsupported_method

from andon.http.response import PROBLEM_JSON, RETRY_AFTER
from andon.packages.discovery import packages
from andon.testing.environment import frozen_clock
from andon.testing.gateway import BY_ITSELF, HttpGateway
from andon.testing.loop import Loop
from andon.tools.in_process import openapi
from tests.support.documented import SPELLINGS, Example, examples
from tests.support.samples import NOW, paths
from tests.support.services.reports import report

# What no schema says: which views there are, how old a report may be, that a cursor or a token is one of ours, that
# `from` is not behind `to`, that a date needs an exact state, how many bytes a text has, that 1.0 is no number, that a
# location says each level once and the company among them, which shifts are there at once, at which
# minutes somebody can be asked, that no log is named twice. And If-Match, because schemathesis takes the number 0 for a
# text that fits its pattern.
UNSTATED: Final = {
    "",  # of more than a hundred errors the rest is a number
    "path.timestamp",
    "query.cursor",
    "query.after",
    "query.from",
    "query.to",
    "body.from",
    "body.plannedFor",
    "body.bytes",
    "body.minutes",
    "body",
    "body.chains",
    "body.overrides",
    "body.shifts",
    "body.timezone",
    "body.weeks",
    "body.view",
    "body.rate",
    "query.date",
    "body.detail",
    "body.timestamp",
    "body.levels",
    "body.location",
    "body.toVersion",
    "body.validFrom",
    "body.priority",
    "body.categories",
    "path.startedAt",
    "header.if-match",
}

# And of a text: schemathesis takes \p{C} and \p{Z} for less than they are, and no pattern says `.` and `..` in a path.
# And of a catalog: that its ids differ, which categories its causes may name, and what is in it.
UNSTATED_OF_TEXTS: Final = (
    "printable",
    "blank",
    "must not be . or ..",
    "must not be -",
    "must not begin or end with a space",
    "a number is out of range",
    "must have different ids",
    "causes name categories that are not there",
    "is not in the catalog of the factory",
    "is needed: calls of this category",
    # Hosts are a setting, and of the texts that bytes are written as, some are no bytes.
    "must be an https address",
    "must be at one of the hosts",
    "must be base64url",
    "must be the name of a time zone",
)

document = json.loads(openapi.DOCUMENT.read_text())
del document["security"]  # who is let in is the gateway's part
for model in document["components"]["schemas"].values():
    if "properties" in model:
        model["additionalProperties"] = False  # an answer says nothing that the document does not
schema = schemathesis.openapi.from_dict(document)
schema.app = HttpGateway()
schema.config.checks.positive_data_acceptance.expected_statuses += ["412", "428"]
schema.config.phases.coverage.unexpected_methods = set()  # which the gateway refuses by itself
schema.config.phases.examples.enabled = False  # a draw for each of three; they are sent once, and by the coverage

DOCUMENTED: Final = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
LOG: Final = "/equipment/{id}/logs/{state}/{timestamp}"
FIRST_LOG: Final = {"id": "press-7", "state": "WARNING1", "timestamp": "2020-04-24T14:55:00.000Z"}
TROUBLE: Final = {"14:55": "WARNING1", "15:00": "WARNING2", "15:05": "ERROR"}


@pytest.fixture(scope="module")
def _no_flask() -> Iterator[None]:
    """Let schemathesis find at once that Flask is not there, for which it looks with each request."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "flask", None)
        yield


@pytest.fixture(scope="module")
def populated(loop: Loop, _no_flask: None) -> Loop:
    """The data of the samples and of decisions by rules, so that queries have something to find."""
    for sample in (json.loads(path.read_text()) for path in paths("http")):
        if sample["routeKey"] in DOCUMENTED:  # a page is no JSON
            loop.call(sample)
    for time, state in TROUBLE.items():
        report(loop, "press-7", state, at=f"2020-04-24T{time}:00.000Z")
    loop.run()
    with frozen_clock(NOW + 60_000):
        loop.sweep()
    return loop


@pytest.mark.parametrize(
    ("path", "parameters", "members"),
    [
        ("/board/{company}", {"company": "Acme"}, ("operator", "escalatedTo", "atRisk", "silentSince")),
        ("/equipment/{id}/board", {"id": "press-7"}, ("operator", "escalatedTo", "atRisk", "silentSince")),
        ("/equipment/{id}/board", {"id": "d%2312345"}, ("operator", "escalatedTo", "acknowledgedBy", "silentSince")),
        ("/equipment/{id}/episodes", {"id": "press-7"}, ("operator", "supervisor", "reason", "triggers")),
        ("/equipment/{id}/episodes", {"id": "d%2312345"}, ("operator", "acknowledgedBy", "acknowledgedAt")),
        (f"{LOG}/assignment", FIRST_LOG, ("by", "rule", "triggers")),
        (f"{LOG}/escalation", FIRST_LOG, ("by", "rule", "triggers")),
    ],
    ids=str,
)
def test_what_rules_and_people_did_is_told_as_documented(
    populated: Loop,  # noqa: ARG001
    path: str,
    parameters: dict[str, str],
    members: tuple[str, ...],
) -> None:
    case = schema[path]["GET"].Case(path_parameters=parameters)

    answer = case.call()

    assert set(members) <= set(_members(answer.json()))
    case.validate_response(answer)


def test_a_response_without_a_body_is_documented_without_one() -> None:
    said = [operation for path in openapi.document()["paths"].values() for operation in path.values()]
    waits = [one["responses"]["202"] for one in said if any(p["name"] == "after" for p in one.get("parameters", ()))]

    assert waits
    assert not any("content" in one for one in waits)


BY_ADDRESS: Final = {f"POST /people/{{id}}/contact/{{channel}}/{asked}" for asked in ("code", "test")}
"""Routes that are refused too often for an address, whoever calls them."""


def test_a_route_of_which_each_caller_or_address_has_a_share_says_when_to_try_again() -> None:
    limited = {
        f"{method.upper()} {path}": operation["responses"]["429"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }

    saying = {route for route, response in limited.items() if RETRY_AFTER in response.get("headers", {})}
    assert saying == BY_ADDRESS | {route for package in packages() for route in package.shared}
    assert all(PROBLEM_JSON in limited[route]["content"] for route in saying)


@schema.parametrize()
@settings(max_examples=1)  # beside some forty cases of each that are listed, not drawn: to draw takes longer than them
def test_the_handlers_answer_as_documented(case: Case[Any], populated: Loop) -> None:  # noqa: ARG001
    _is_as_documented(case)


def _is_as_documented(case: Case[Any]) -> None:
    answer = case.call()

    if BY_ITSELF not in answer.headers:
        refused = answer.status_code >= HTTPStatus.BAD_REQUEST
        # An unknown method is the gateway's part, too.
        excluded = [unsupported_method]
        if refused and _is_unstated(answer.json()):
            excluded.append(positive_data_acceptance)
        case.validate_response(answer, excluded_checks=excluded)
        assert answer.headers["x-request-id"] == ["request-1"]
        if refused:
            assert answer.headers["content-type"] == [PROBLEM_JSON]


EXAMPLES: Final = list(examples(document))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_is_answered_as_documented(populated: Loop, example: Example) -> None:  # noqa: ARG001
    _is_as_documented(schema[example.path][example.method].Case(**example.parts()))


def _answered(example: Example, **parts: Any) -> Any:  # noqa: ANN401  schemathesis's response
    """Send an example, with other parts; the answer is one that the document has, and no failure."""
    case = schema[example.path][example.method].Case(**example.parts(**parts))
    answer = case.call()
    case.validate_response(answer, excluded_checks=[positive_data_acceptance, negative_data_rejection])
    assert answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    assert answer.headers["x-content-type-options"] == ["nosniff"]
    return answer


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_no_number_at_an_edge_is_a_failure(populated: Loop, example: Example) -> None:  # noqa: ARG001
    for parts in example.at_the_edges():
        _answered(example, **parts)


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.parameters["query"]], ids=str)
def test_a_parameter_that_comes_twice_is_refused_by_its_name(populated: Loop, example: Example) -> None:  # noqa: ARG001
    for name, value in example.parameters["query"].items():
        for values in ([value, value], [value, "2"], ["", ""], [value] * 3):
            answer = _answered(example, query={name: values})

            assert answer.status_code == HTTPStatus.BAD_REQUEST
            assert [error["field"] for error in answer.json()["errors"]] == [f"query.{name}"]


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.body is not None], ids=str)
def test_json_is_json_however_its_type_is_spelled(populated: Loop, example: Example) -> None:  # noqa: ARG001
    statuses = {
        spelling: _answered(example, headers={**example.parameters["header"], "Content-Type": spelling}).status_code
        for spelling in SPELLINGS
    }

    # 201, and then 200 for the same again.
    assert len({status // 100 for status in statuses.values()}) == 1, statuses


def _members(told: object) -> Iterator[str]:
    """List all names in an answer, however deep."""
    for value in told.values() if isinstance(told, dict) else told if isinstance(told, list) else ():
        yield from _members(value)
    if isinstance(told, dict):
        yield from told


def _is_unstated(problem: Mapping[str, object]) -> bool:
    """Return True if each field is refused for a reason that the schema does not name.

    A field of one of many bodies, as `body.0.timestamp`, is `body.timestamp`; one within a list, as
    `body.shifts.0.week`, is the list.
    """
    errors = problem.get("errors", [])
    assert isinstance(errors, list)
    fields = [re.sub(r"(?<=^body)\.\d+(?=\.)|(?<=\w)\.\d+(?:\.\w+)*$", "", error["field"]) for error in errors]
    return all(
        field in UNSTATED or any(words in error["detail"] for words in UNSTATED_OF_TEXTS)
        for field, error in zip(fields, errors, strict=True)
    )
