import base64
import json

import pytest

from contract import groups
from local.stack.api import Answer, Api, path_of
from local.stack.stack import Stack

LOGS = path_of("equipment", "press-7", "logs")


def _with(token: str | None, stack: Stack) -> Answer:
    return Api(stack.outputs["ApiUrl"], token=token).get(LOGS)


def _segment(claims: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _claims(token: str) -> dict[str, object]:
    payload = token.split(".")[1]
    claims: dict[str, object] = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims


@pytest.mark.parametrize("token", [None, "", "garbage", "a.b.c"])
def test_without_a_token_that_is_one_the_answer_is_401(stack: Stack, token: str | None) -> None:
    assert _with(token, stack).status == 401


def test_a_token_with_other_claims_than_were_signed_is_refused(stack: Stack) -> None:
    header, _, signature = stack.token(groups.DEVICE).split(".")
    promoted = _segment(_claims(stack.token(groups.DEVICE)) | {"cognito:groups": [groups.ADMIN]})

    assert _with(f"{header}.{promoted}.{signature}", stack).status == 401


def test_a_token_that_says_it_needs_no_signature_is_refused(stack: Stack) -> None:
    _, payload, _ = stack.token(groups.ADMIN).split(".")

    assert _with(f"{_segment({'alg': 'none'})}.{payload}.", stack).status == 401


@pytest.mark.parametrize("role", groups.ALL)
def test_logs_are_for_everybody_but_devices(stack: Stack, role: str) -> None:
    assert stack.api(role).get(LOGS).status == (403 if role == groups.DEVICE else 200)


@pytest.mark.parametrize("role", groups.ALL)
def test_a_token_names_its_one_group(stack: Stack, role: str) -> None:
    claims = _claims(stack.token(role))

    assert claims["token_use"] == "access"
    assert claims["cognito:groups"] == [role]
