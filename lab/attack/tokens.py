"""Tokens that are none, are another's, or not for this: nobody is let in. `e2e/test_auth.py` has those that expired."""

import base64
import contextlib
import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.request import ProxyHandler, build_opener

from andon.tools.stack import users
from contract import groups
from lab.attack.operations import OURS
from lab.attack.target import AttackTarget

PART: Final = "tokens"
REFUSED: Final = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
LOOKALIKES: Final = "[admin", "admin]", "[admin]", "ADMIN", "admin,operator", "admin\u200b"
GARBAGE: Final = "", " ", "garbage", "a.b.c", "..", "a" * 8_000, "null", "e30.e30.e30", "\t", "Bearer"
SCHEMES: Final = "Basic", "bearer bearer", "Token"


def attack(target: AttackTarget) -> None:
    """Call a route that only admins may call, with everything but an admin's token."""
    admins = next(one for one in target.operations if one.groups == {groups.ADMIN} and one.method == "GET")
    good, token = admins.request(), target.stack.token(groups.ADMIN)
    forged = [
        (kind, good.with_header("authorization", one and f"Bearer {one}")) for kind, one in _tokens(target, token)
    ]
    others = [("another scheme", good.with_header("authorization", f"{scheme} {token}")) for scheme in SCHEMES]
    for kind, request in (*forged, *others):
        answer = target.door.send(request)
        effects = [] if answer.status in REFUSED else [f"{answer.status}, not 401 or 403"]
        target.note(PART, kind, request, answer, effects)


def _tokens(target: AttackTarget, good: str) -> Iterator[tuple[str, str | None]]:
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
    yield "an ID token in place of an access token", _sign_in(target, groups.ADMIN)["IdToken"]
    for name in LOOKALIKES:
        yield "a group that looks like admin", _of_group(target, name)


def _signed_with_the_public_key(target: AttackTarget, header: str, payload: str) -> Iterator[str]:
    """Sign as if the public key, which everybody may read, were a shared secret."""
    pool, endpoint = target.stack.outputs["UserPoolId"], target.stack.outputs["Endpoint"]
    with build_opener(ProxyHandler({})).open(f"{endpoint}/{pool}/.well-known/jwks.json") as answer:
        keys = json.load(answer)["keys"]
    for key in keys:
        head = _segment(_claims(header) | {"alg": "HS256", "kid": key["kid"]})
        for secret in (key["n"].encode(), json.dumps(key).encode()):
            signed = hmac.new(secret, f"{head}.{payload}".encode(), hashlib.sha256).digest()
            yield f"{head}.{payload}.{base64.urlsafe_b64encode(signed).decode().rstrip('=')}"


def _of_group(target: AttackTarget, group: str) -> str:
    """Sign in as somebody of a group that is none of ours."""
    cognito, pool = target.stack.client("cognito-idp"), {"UserPoolId": target.stack.outputs["UserPoolId"]}
    user = {**pool, "Username": f"{OURS}{group.encode().hex()}"}
    with contextlib.suppress(cognito.exceptions.GroupExistsException):
        cognito.create_group(**pool, GroupName=group)
    with contextlib.suppress(cognito.exceptions.UsernameExistsException):
        cognito.admin_create_user(**user, MessageAction="SUPPRESS")
    cognito.admin_set_user_password(**user, Password=users.PASSWORD, Permanent=True)
    cognito.admin_add_user_to_group(**user, GroupName=group)
    return _sign_in(target, user["Username"])["AccessToken"]


def _sign_in(target: AttackTarget, user: str) -> Mapping[str, str]:
    signed_in: Mapping[str, str] = target.stack.client("cognito-idp").admin_initiate_auth(
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
