"""Requests of a link or a page to the public port, meant for a service of AWS: none makes anything, whatever its path.

`library/tests/tools/test_front.py` has each rule of the front by itself.
"""

import json
import socket
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode, urlsplit

from andon.tools.stack.stack import Stack
from lab.attack.operations import OURS
from lab.attack.target import AttackTarget
from lab.attack.wire import RawRequest

PART: Final = "front"
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

SLOW: Final = 20
WAITS_S: Final = 60


def attack(target: AttackTarget) -> None:
    """Send each of them to each path, then a head in the trailers of a body."""
    before, pool = _made(target.stack), f"{target.stack.outputs['UserPoolId']}/.well-known/openid-configuration"
    for path in PATHS:
        for one in HOSTILE:
            request = RawRequest(one.method, path.replace("{pool}", pool) + one.target, one.headers, one.body)
            answer = target.door.send(request)
            known = NOT_TAKEN if path in OF_THE_API else {HTTPStatus.NOT_FOUND}
            effects = [] if answer.status in known else [f"{answer.status}, not 404"]
            target.record.attempt(PART, "a request for another service", dict.fromkeys(effects, request.curl))
    seen = _with_trailers(target)
    target.record.expect(PART, "trailers", "not refused by the API", held=b" 400 " in seen[:20], seen=repr(seen[:200]))
    made = _made(target.stack) - before
    target.record.expect(PART, "a request for another service", "made it", held=not made, seen=str(made))


def hold(target: AttackTarget) -> list[socket.socket]:
    """Begin requests whose bodies do not come; `check_held` looks after them."""
    held = [_opened(target) for _ in range(SLOW)]
    for one in held:
        one.sendall(_head(target, "content-length: 9") + b"[")
    return held


def check_held(target: AttackTarget, held: list[socket.socket]) -> None:
    """Read the answers to requests that never ended: by now each was told so, and has lost its connection."""
    for one in held:
        with one:
            one.settimeout(WAITS_S)
            try:
                said = b"".join(iter(lambda: one.recv(4_096), b""))  # noqa: B023  called here
            except OSError as error:
                said = type(error).__name__.encode()
        effect = "its connection is kept open"
        target.record.expect(PART, "a body that does not come", effect, held=b" 408 " in said[:20], seen=repr(said))


def _with_trailers(target: AttackTarget) -> bytes:
    """Send a good head, and after the body what makes a table if the emulator takes it for headers."""
    trailers = "".join(f"{name}: {value}\r\n" for name, value in OF_TABLES).encode()
    body = b"%x\r\n%s\r\n0\r\n%s\r\n" % (len(TABLE), TABLE, trailers)
    with _opened(target) as connection:
        connection.sendall(_head(target, "transfer-encoding: chunked", "connection: close") + body)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def _head(target: AttackTarget, *more: str) -> bytes:
    token = target.stack.token("admin")
    headers = (f"host: {_place(target)}", "content-type: application/json", f"authorization: Bearer {token}", *more)
    return "\r\n".join(("POST /states HTTP/1.1", *headers, "", "")).encode()


def _opened(target: AttackTarget) -> socket.socket:
    host, _, port = _place(target).partition(":")
    return socket.create_connection((host, int(port)), timeout=WAITS_S)


def _place(target: AttackTarget) -> str:
    return urlsplit(target.stack.outputs["ApiUrl"]).netloc


def _made(stack: Stack) -> set[str]:
    """Return the stacks and tables that there are."""
    stacks = stack.client("cloudformation").describe_stacks()["Stacks"]
    return {one["StackName"] for one in stacks} | set(stack.client("dynamodb").list_tables()["TableNames"])
