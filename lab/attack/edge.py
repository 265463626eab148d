"""The edge of a stack: tokens that open nothing, and requests to the public port that are meant for services of AWS.

`e2e/test_auth.py` has tokens that expired, `library/tests/tools/test_front.py` each rule of the front by itself.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from random import Random
from typing import Any, Final
from urllib.parse import urlencode, urlsplit
from urllib.request import ProxyHandler, build_opener

from andon.tools.stack import users
from andon.tools.stack.stack import Stack
from contract import groups
from lab.attack.operations import OURS, RawRequest
from lab.attack.target import Target

REFUSED: Final = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
LOOKALIKES: Final = "[admin", "admin]", "[admin]", "ADMIN", "admin,operator", "admin\u200b"
GARBAGE: Final = "", " ", "garbage", "a.b.c", "..", "a" * 8_000, "null", "e30.e30.e30", "\t", "Bearer"
SCHEMES: Final = "Basic", "bearer bearer", "Token"

NAME: Final = f"{OURS}hostile"
PATHS: Final = "/login", "/logout", "/oauth2/authorize", "/oauth2/token", "/{pool}", "/", "/x", "/equipment/a/logs"
OF_THE_API: Final = PATHS[5], PATHS[7]  # it has no other methods there, and asks for a token
NOT_TAKEN: Final = {HTTPStatus.OK, HTTPStatus.UNAUTHORIZED, HTTPStatus.NOT_FOUND}

TEMPLATE: Final = json.dumps({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}})
FORM: Final = urlencode({"Action": "CreateStack", "StackName": NAME, "TemplateBody": TEMPLATE})
TABLE: Final = json.dumps({
    "TableName": NAME,
    "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}).encode()  # fmt: skip
OF_FORMS: Final = (("content-type", "application/x-www-form-urlencoded"),)
OF_TABLES: Final = (("x-amz-target", "DynamoDB_20120810.CreateTable"), ("content-type", "application/x-amz-json-1.0"))
SIGNED: Final = (
    "authorization",
    "AWS4-HMAC-SHA256 Credential=test/20261122/us-east-1/dynamodb/aws4_request, Signature=0",
)
HOSTILE: Final = (
    RawRequest("GET", "").asking(FORM),
    RawRequest("POST", "").asking(FORM),
    *(RawRequest(method, "", OF_FORMS, FORM.encode()) for method in ("POST", "PUT")),
    *(RawRequest(method, "", OF_TABLES, TABLE) for method in ("POST", "PUT")),
    RawRequest("PUT", "", (*OF_TABLES, SIGNED), TABLE),
)

WAITS_S: Final = 60


def stack_of(target: Target) -> Stack:
    """Return the stack that is attacked; memory has no edge."""
    if target.stack is None:
        raise TypeError("this is no deployed world")
    return target.stack


def tokens(target: Target, _: Random) -> None:
    """Call a route that only admins may call, with everything but an admin's token."""
    admins = next(one for one in target.operations if one.groups == {groups.ADMIN} and one.method == "GET")
    good, token = admins.request(), stack_of(target).token(groups.ADMIN)
    forged = [
        (kind, good.with_header("authorization", one and f"Bearer {one}")) for kind, one in _tokens(target, token)
    ]
    others = [("another scheme", good.with_header("authorization", f"{scheme} {token}")) for scheme in SCHEMES]
    for kind, request in (*forged, *others):
        answer = target.door.send(request, None)
        effects = [] if answer.status in REFUSED else [f"{kind}: {answer.status}, not 401 or 403"]
        target.note("nobody is let in by another's token, or by none", request, answer, effects)


def _tokens(target: Target, good: str) -> Iterator[tuple[str, str | None]]:
    header, payload, signature = good.split(".")
    device = stack_of(target).token(groups.DEVICE).split(".")
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


def _signed_with_the_public_key(target: Target, header: str, payload: str) -> Iterator[str]:
    """Sign as if the public key, which everybody may read, were a shared secret."""
    pool, endpoint = stack_of(target).outputs["UserPoolId"], stack_of(target).outputs["Endpoint"]
    with build_opener(ProxyHandler({})).open(f"{endpoint}/{pool}/.well-known/jwks.json") as answer:
        keys = json.load(answer)["keys"]
    for key in keys:
        head = _segment(_claims(header) | {"alg": "HS256", "kid": key["kid"]})
        for secret in (key["n"].encode(), json.dumps(key).encode()):
            signed = hmac.new(secret, f"{head}.{payload}".encode(), hashlib.sha256).digest()
            yield f"{head}.{payload}.{base64.urlsafe_b64encode(signed).decode().rstrip('=')}"


def _of_group(target: Target, group: str) -> str:
    """Sign in as somebody of a group that is none of ours."""
    cognito, pool = stack_of(target).client("cognito-idp"), {"UserPoolId": stack_of(target).outputs["UserPoolId"]}
    user = {**pool, "Username": f"{OURS}{group.encode().hex()}"}
    with contextlib.suppress(cognito.exceptions.GroupExistsException):
        cognito.create_group(**pool, GroupName=group)
    with contextlib.suppress(cognito.exceptions.UsernameExistsException):
        cognito.admin_create_user(**user, MessageAction="SUPPRESS")
    cognito.admin_set_user_password(**user, Password=users.PASSWORD, Permanent=True)
    cognito.admin_add_user_to_group(**user, GroupName=group)
    return _sign_in(target, user["Username"])["AccessToken"]


def _sign_in(target: Target, user: str) -> Mapping[str, str]:
    signed_in: Mapping[str, str] = (
        stack_of(target)
        .client("cognito-idp")
        .admin_initiate_auth(
            UserPoolId=stack_of(target).outputs["UserPoolId"],
            ClientId=stack_of(target).outputs["UserPoolClientId"],
            AuthFlow="ADMIN_USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": user, "PASSWORD": users.PASSWORD},
        )["AuthenticationResult"]
    )
    return signed_in


def _segment(claims: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def _claims(segment: str) -> dict[str, Any]:
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4)))
    return claims


def front(target: Target, _: Random, *, slow: int) -> None:
    """Send each of them to each path, then a head in the trailers of a body; and so many requests that do not end."""
    held = _hold(target, slow)
    before, pool = _made(stack_of(target)), f"{stack_of(target).outputs['UserPoolId']}/.well-known/openid-configuration"
    for path in PATHS:
        for one in HOSTILE:
            request = RawRequest(one.method, path.replace("{pool}", pool) + one.target, one.headers, one.body)
            answer = target.door.send(request, None)
            known = NOT_TAKEN if path in OF_THE_API else {HTTPStatus.NOT_FOUND}
            effects = [] if answer.status in known else [f"{answer.status}, not 404"]
            target.record.expect("no request for another service is taken", not effects, f"{effects}: {request.curl}")
    seen = _with_trailers(target)
    target.record.expect("trailers are refused by the API", b" 400 " in seen[:20], repr(seen[:200]))
    made = _made(stack_of(target)) - before
    target.record.expect("a request for another service makes nothing", not made, made)
    _check_held(target, held)


def _hold(target: Target, number: int) -> list[socket.socket]:
    """Begin requests whose bodies do not come."""
    held = [_opened(target) for _ in range(number)]
    for one in held:
        one.sendall(_head(target, "content-length: 9") + b"[")
    return held


def _check_held(target: Target, held: list[socket.socket]) -> None:
    """Read the answers to requests that never ended: by now each was told so, and has lost its connection."""
    for one in held:
        with one:
            one.settimeout(WAITS_S)
            try:
                said = b"".join(iter(lambda: one.recv(4_096), b""))  # noqa: B023  called here
            except OSError as error:
                said = type(error).__name__.encode()
        target.record.expect("who sends no body loses their connection", b" 408 " in said[:20], repr(said))


def _with_trailers(target: Target) -> bytes:
    """Send a good head, and after the body what makes a table if the emulator takes it for headers."""
    trailers = "".join(f"{name}: {value}\r\n" for name, value in OF_TABLES).encode()
    body = b"%x\r\n%s\r\n0\r\n%s\r\n" % (len(TABLE), TABLE, trailers)
    with _opened(target) as connection:
        connection.sendall(_head(target, "transfer-encoding: chunked", "connection: close") + body)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def _head(target: Target, *more: str) -> bytes:
    token = stack_of(target).token("admin")
    headers = (f"host: {_place(target)}", "content-type: application/json", f"authorization: Bearer {token}", *more)
    return "\r\n".join(("POST /states HTTP/1.1", *headers, "", "")).encode()


def _opened(target: Target) -> socket.socket:
    host, _, port = _place(target).partition(":")
    return socket.create_connection((host, int(port)), timeout=WAITS_S)


def _place(target: Target) -> str:
    return urlsplit(stack_of(target).outputs["ApiUrl"]).netloc


def _made(stack: Stack) -> set[str]:
    """Return the stacks and tables that there are."""
    stacks = stack.client("cloudformation").describe_stacks()["Stacks"]
    return {one["StackName"] for one in stacks} | set(stack.client("dynamodb").list_tables()["TableNames"])
