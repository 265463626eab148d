import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from andon.tools.stack import users
from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from andon.tools.stack.stack import Stack
from contract import groups
from tests.support.services.versions import LOCATION

LOGS = path_of("equipment", "press-7", "logs")


def _with(token: str | None, stack: Stack) -> HttpResponse:
    return ApiClient(stack.outputs["ApiUrl"], token=token).get(LOGS)


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
def test_a_token_names_its_one_group(stack: Stack, role: str) -> None:
    claims = _claims(stack.token(role))

    assert claims["token_use"] == "access"
    assert claims["cognito:groups"] == [role]
    assert claims["username"] == role


def test_a_token_names_the_places_that_its_user_is_limited_to_and_the_api_takes_them(stack: Stack) -> None:
    places = ("gdl-1:line-3", "Acme Corp")

    assert set(_claims(stack.token(groups.ADMIN, at=places))["cognito:groups"]) == {  # type: ignore[call-overload]
        groups.ADMIN,
        "at:gdl-1:line-3",
        "at:Acme%20Corp",
    }
    assert _with(stack.token(groups.ADMIN, at=places), stack).status == 403
    assert _with(stack.token(groups.ADMIN, at=("*",)), stack).status == 200
    assert _with(users.token(stack.outputs, groups.ADMIN, "admin-at:*"), stack).status == 200  # in none any more


def test_an_id_token_is_no_access_token(stack: Stack) -> None:
    signed_in = stack.client("cognito-idp").admin_initiate_auth(
        UserPoolId=stack.outputs["UserPoolId"],
        ClientId=stack.outputs["UserPoolClientId"],
        AuthFlow="ADMIN_USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": groups.ADMIN, "PASSWORD": users.PASSWORD},
    )["AuthenticationResult"]

    assert _with(signed_in["AccessToken"], stack).status == 200
    assert _claims(signed_in["IdToken"])["cognito:groups"] == [groups.ADMIN]
    assert _with(signed_in["IdToken"], stack).status in {401, 403}


@contextmanager
def _access_for(seconds: int, stack: Stack) -> Iterator[None]:
    """Let the client's access tokens be valid for so long; AWS itself would refuse less than five minutes."""
    cognito = stack.client("cognito-idp")
    ids = {"UserPoolId": stack.outputs["UserPoolId"], "ClientId": stack.outputs["UserPoolClientId"]}
    client = cognito.describe_user_pool_client(**ids)["UserPoolClient"]
    kept = {"ExplicitAuthFlows": client["ExplicitAuthFlows"]}
    units = client.get("TokenValidityUnits", {})
    short = {"AccessTokenValidity": seconds, "TokenValidityUnits": {**units, "AccessToken": "seconds"}}
    as_it_was = {"AccessTokenValidity": client["AccessTokenValidity"], "TokenValidityUnits": units}
    cognito.update_user_pool_client(**ids, **kept, **short)
    try:
        yield
    finally:
        cognito.update_user_pool_client(**ids, **kept, **as_it_was)


def test_a_token_that_has_expired_is_refused(stack: Stack) -> None:
    for valid_s in (3, 12, 48, 192):
        with _access_for(valid_s, stack):
            token = users.token(stack.outputs, groups.OPERATOR)
        expires = int(str(_claims(token)["exp"]))
        before = _with(token, stack).status
        if time.time() < expires:  # else the machine was too busy for it to be asked in time
            break

    time.sleep(max(0.0, expires - time.time()) + 1)

    assert before == 200
    assert _with(token, stack).status == 401


def test_a_device_reports_for_itself_and_a_gateway_for_its_factory_only(stack: Stack) -> None:
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z"
    equipment = {"name": "Lathe", "factoryId": "lathes", "lineId": "line-1", "location": LOCATION}
    assert stack.api(groups.OPERATOR).put(path_of("equipment", "lathe-1"), equipment).status in {200, 201}
    report = path_of("equipment", "lathe-1", "states", now)

    statuses = [
        stack.api(role, user).put(report, {"state": "ERROR"}).status
        for role, user in [
            (groups.DEVICE, "lathe-2"),
            (groups.GATEWAY, "presses"),
            (groups.GATEWAY, "lathes"),
            (groups.DEVICE, "lathe-1"),
        ]
    ]

    assert statuses == [403, 403, 201, 200]
