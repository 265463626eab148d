"""The handlers do what docs/openapi.json says, whatever is sent: schemathesis makes the requests up."""

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import settings
from schemathesis import Case
from schemathesis.checks import positive_data_acceptance, unsupported_method

from local import openapi
from local.loop import Loop
from patterns.problem import CONTENT_TYPE
from tests.gateway import BY_ITSELF, Gateway
from tests.samples import paths

# What no schema says: how old a report may be, that a cursor is one of ours, that `from` is not behind `to`, that a
# date needs an exact state, how many bytes a text has, that 1.0 is no version. And If-Match, because schemathesis
# takes the number 0 for a text that fits its pattern.
UNSTATED: Final = {
    "path.timestamp",
    "query.cursor",
    "query.from",
    "query.date",
    "body.detail",
    "body.timestamp",
    "body.location",
    "body.toVersion",
    "header.if-match",
}

document = json.loads(openapi.DOCUMENT.read_text())
del document["security"]  # who is let in is the gateway's part
schema = schemathesis.openapi.from_dict(document)
schema.app = Gateway()
schema.config.checks.positive_data_acceptance.expected_statuses += ["412", "428"]


@pytest.fixture(scope="module")
def populated(loop: Loop) -> Loop:
    """What the samples write, so that not every question is about nothing."""
    for path in paths("http"):
        loop.call(json.loads(path.read_text()))
    loop.run()
    return loop


@schema.parametrize()
@settings(max_examples=20)
def test_the_handlers_answer_as_documented(case: Case[Any], populated: Loop) -> None:  # noqa: ARG001
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
            assert answer.headers["content-type"] == [CONTENT_TYPE]


def _is_unstated(problem: Mapping[str, object]) -> bool:
    """Tell whether every field is refused for what the schema does not say."""
    errors = problem.get("errors", [])
    assert isinstance(errors, list)
    # schemathesis takes \p{C} and \p{Z} for less than they are.
    fields = [re.sub(r"\.\d+\.", ".", error["field"]) for error in errors]  # body.0.timestamp, of a list
    return all(field in UNSTATED or "printable" in error["detail"] for field, error in zip(fields, errors, strict=True))
