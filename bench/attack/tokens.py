"""Tokens that are none, are another's, are too old, or are not for this: nobody is let in."""

import base64
import contextlib
import hashlib
import hmac
import json
import time
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.request import ProxyHandler, build_opener

from andon.tools.stack import users
from andon.tools.stack.processes import eventually
from bench.attack.operations import OURS
from bench.attack.target import Target
from contract import groups

PART: Final = "tokens"
REFUSED: Final = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
LOOKALIKES: Final = "[admin", "admin]", "[admin]", "ADMIN", "admin,operator", "admin\u200b"
GARBAGE: Final = "", " ", "garbage", "a.b.c", "..", "a" * 8_000, "null", "e30.e30.e30", "\t", "Bearer"


def attack(target: Target) -> None:
    """Call a route that only admins may call, with everything but an admin's token."""
    admins = next(one for one in target.operations if one.groups == {groups.ADMIN} and one.method == "GET")
    request = admins.request()
    for kind, token in _tokens(target):
        answer = target.door.send(request, token)
        effects = [] if answer.status in REFUSED else [f"{answer.status}, not 401 or 403"]
        target.note(PART, kind, request, answer, effects)  # a token is of one run only: the kind says which it was
    for scheme in ("Basic", "bearer bearer", "Token"):
        other = request.with_header("authorization", f"{scheme} {target.stack.token(groups.ADMIN)}")
        answer = target.door.send(other)
        effects = [] if answer.status in REFUSED else [f"{answer.status}, not 401 or 403"]
        target.note(PART, "another scheme", other, answer, effects)


def _tokens(target: Target) -> Iterator[tuple[str, str | None]]:
    good = target.stack.token(groups.ADMIN)
    header, payload, signature = good.split(".")
    device = target.stack.token(groups.DEVICE).split(".")
    yield "no token", None
    yield from (("garbage", token) for token in GARBAGE)
    yield from (("a signature that is another's", f"{header}.{payload}.{other}") for other in ("", device[2]))
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
    yield "a signature that is changed", f"{header}.{payload}.{flipped}"
    promoted = _segment(_claims(device[1]) | {"cognito:groups": [groups.ADMIN]})
    yield "claims that were not signed", f"{device[0]}.{promoted}.{device[2]}"
    for algorithm in ("none", "None", "NONE", ""):
        yield "no signature wanted", f"{_segment({'alg': algorithm, 'typ': 'JWT'})}.{payload}."
    yield from (("signed with the public key", token) for token in _signed_with_the_public_key(target, header, payload))
    yield "an ID token in place of an access token", _id_token(target)
    for name in LOOKALIKES:
        yield "a group that looks like admin", _of_group(target, name)
    yield "a token that has expired", _expired(target)


def _signed_with_the_public_key(target: Target, header: str, payload: str) -> Iterator[str]:
    """Sign as if the public key, which everybody may read, were a shared secret."""
    pool, endpoint = target.stack.outputs["UserPoolId"], target.stack.outputs["Endpoint"]
    with build_opener(ProxyHandler({})).open(f"{endpoint}/{pool}/.well-known/jwks.json") as answer:
        keys = json.load(answer)["keys"]
    for key in keys:
        head = _segment(_claims(header) | {"alg": "HS256", "kid": key["kid"]})
        for secret in (key["n"].encode(), json.dumps(key).encode()):
            signed = hmac.new(secret, f"{head}.{payload}".encode(), hashlib.sha256).digest()
            yield f"{head}.{payload}.{base64.urlsafe_b64encode(signed).decode().rstrip('=')}"


def _id_token(target: Target) -> str:
    return str(_sign_in(target, groups.ADMIN)["IdToken"])


def _of_group(target: Target, group: str) -> str:
    """Sign in as somebody of a group that is none of ours."""
    pool, cognito = target.stack.outputs["UserPoolId"], target.stack.client("cognito-idp")
    user = f"{OURS}{group.encode().hex()}"
    with contextlib.suppress(cognito.exceptions.GroupExistsException):
        cognito.create_group(UserPoolId=pool, GroupName=group)
    with contextlib.suppress(cognito.exceptions.UsernameExistsException):
        cognito.admin_create_user(UserPoolId=pool, Username=user, MessageAction="SUPPRESS")
    cognito.admin_set_user_password(UserPoolId=pool, Username=user, Password=users.PASSWORD, Permanent=True)
    cognito.admin_add_user_to_group(UserPoolId=pool, Username=user, GroupName=group)
    return str(_sign_in(target, user)["AccessToken"])


def _expired(target: Target) -> str:
    """Sign in for a second, which the emulator allows and AWS does not, and wait until it is over."""
    pool, client = target.stack.outputs["UserPoolId"], target.stack.outputs["UserPoolClientId"]
    cognito = target.stack.client("cognito-idp")
    before = cognito.describe_user_pool_client(UserPoolId=pool, ClientId=client)["UserPoolClient"]
    kept = {"AccessTokenValidity": before.get("AccessTokenValidity", 1)}
    kept["TokenValidityUnits"] = before.get("TokenValidityUnits") or {"AccessToken": "hours"}
    short = {"AccessTokenValidity": 1, "TokenValidityUnits": {"AccessToken": "seconds"}}
    cognito.update_user_pool_client(UserPoolId=pool, ClientId=client, **short)
    try:
        token = str(_sign_in(target, groups.ADMIN)["AccessToken"])
    finally:
        cognito.update_user_pool_client(UserPoolId=pool, ClientId=client, **kept)
    ends_s = int(_claims(token.split(".")[1])["exp"])
    eventually(lambda: time.time() > ends_s + 1, within_s=5)
    return token


def _sign_in(target: Target, user: str) -> Mapping[str, Any]:
    signed_in: Mapping[str, Any] = target.stack.client("cognito-idp").admin_initiate_auth(
        UserPoolId=target.stack.outputs["UserPoolId"],
        ClientId=target.stack.outputs["UserPoolClientId"],
        AuthFlow="ADMIN_USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": user, "PASSWORD": users.PASSWORD},
    )["AuthenticationResult"]
    return signed_in


def _segment(claims: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _claims(segment: str) -> dict[str, Any]:
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    return claims
