"""The handlers do what docs/openapi.json says, whatever is sent: schemathesis makes the requests up."""

import json
from http import HTTPStatus

import pytest
import schemathesis
from hypothesis import settings
from schemathesis import Case, Response

from local import openapi
from local.loop import Loop
from tests.gateway import BY_ITSELF, Gateway

PROBLEM = "application/problem+json"

schema = schemathesis.openapi.from_dict(json.loads(openapi.DOCUMENT.read_text()))
schema.app = Gateway()


@schema.parametrize()
@settings(max_examples=20)
def test_the_handlers_answer_as_documented(case: Case, loop: Loop) -> None:
    answer = case.call()

    case.validate_response(answer)
