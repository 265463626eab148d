import http.client
import json
import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from support.front import Fronted, fronted

from andon.tools.stack import emulator, front, live, private_file, sign_in_paths
from andon.tools.stack.front import RoutesFile
from andon.tools.stack.http1 import refusal
from andon.tools.stack.processes import PATIENCE_S

GET = b"GET /equipment/press-7 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
POST = b"POST /2015-03-31/functions HTTP/1.1\r\nhost: 127.0.0.1:4566\r\nconnection: close\r\n"

FORM = "application/x-www-form-urlencoded"
SIGNED = "AWS4-HMAC-SHA256 Credential=test/20261122/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0"
ASKED = "client_id=c&redirect_uri=%2F&scope=openid+a%2Fb&state=s&code_challenge=x-_&code_challenge_method=S256"
# What the page and the emulator's forms send.
SIGN_IN = [
    ("GET", "/pool_1/.well-known/openid-configuration", None),
    ("GET", f"/oauth2/authorize?response_type=code&{ASKED}&lang=es", None),
    ("GET", "/logout?client_id=c&logout_uri=http%3A%2F%2F127.0.0.1%2F", None),
    ("POST", "/login", f"{ASKED}&response_type=code&nonce=&username=o%C3%A9&password=%26%3D"),
    ("POST", "/login", "np_token=a&new_password=b&confirm_password=b"),
    ("POST", "/oauth2/token", "grant_type=authorization_code&client_id=c&redirect_uri=%2F&code=a&code_verifier=b"),
    ("POST", "/oauth2/token", "grant_type=refresh_token&client_id=c&refresh_token=a.b.c"),
]
TARGET = "X-Amz-Target: DynamoDB_20120810.ListTables"
# Of all there are; `test_sign_in_paths.py` has the law.
HOSTILE = ["Action=CreateStack&TemplateBody=%7B%7D", "client_id=a&client_id=b", "X-Amz-Credential=test%2F20261122"]


@pytest.fixture
def running() -> Iterator[Fronted]:
    with fronted() as front:
        yield front


@pytest.fixture
def signing_in(running: Fronted) -> Fronted:
    """A front that lets the paths of a sign-in through, too."""
    running.routes.update(sign_in_paths.routes("pool_1"))
    return running


def test_trailers_are_dropped_for_the_emulator_would_take_them_for_headers(running: Fronted) -> None:
    head = b"POST /equipment HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\ntrailer: x-a\r\n\r\n"

    answers = running.send(head + b"2\r\n{}\r\n0\r\nx-a: 1\r\nx-b: 2\r\n\r\n" + GET + b"\r\n")

    assert answers.count(b"HTTP/1.1 201") == 2
    assert b"trailer" not in answers
    assert running.seen == ["POST /_aws/execute-api/abc/equipment", "GET /_aws/execute-api/abc/equipment/press-7"]


@pytest.mark.parametrize("path", ["/equipment", "/login"])
def test_a_body_that_does_not_come_is_not_waited_for(
    signing_in: Fronted, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(front, "BODY_S", 0.2)
    form = f"content-type: {FORM}\r\n" if path == "/login" else ""
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{form}content-length: 9\r\n\r\nusern"

    assert signing_in.send(head.encode()).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:4566"},
        {"host": "localhost:4566"},
        {"Host": "LOCALHOST"},
        {"host": "127.0.0.1:4566", "origin": "http://127.0.0.1:4566", "sec-fetch-site": "same-origin"},
        {"host": "localhost:4566", "sec-fetch-site": "none"},
    ],
    ids=str,
)
def test_tools_and_pages_of_the_same_origin_are_not_foreign(headers: dict[str, str]) -> None:
    assert refusal(headers.items()) is None


@pytest.mark.parametrize(
    "headers",
    [
        *({}, {"host": ""}, {"host": "rebound.example:4566"}, {"host": "127.0.0.1.example"}),
        *({"host": "localhost@example.com"}, {"host": "127.0.0.1:4566", "origin": "https://example.com"}),
        {"host": "127.0.0.1:4566", "origin": "null"},
        {"host": "127.0.0.1:4566", "origin": "http://127.0.0.1:3000"},
        {"host": "127.0.0.1:4566", "origin": "http://localhost:4566"},
        {"host": "127.0.0.1:4566", "origin": "https://127.0.0.1:4566"},
        {"host": "127.0.0.1:4566", "sec-fetch-site": "cross-site"},
        {"host": "127.0.0.1:4566", "sec-fetch-site": "same-site"},
        {"host": "127.0.0.1:4566", "Sec-Fetch-Site": "same-origin", "sec-fetch-site": "cross-site"},
        {"host": "127.0.0.1:4566", "Host": "127.0.0.1:4566"},
    ],
    ids=str,
)
def test_pages_of_other_sites_are_foreign(headers: dict[str, str]) -> None:
    assert refusal(headers.items()) is not None


@pytest.mark.parametrize(
    "header",
    [b"origin: https://example.com", b"origin: null", b"sec-fetch-site: cross-site", b"host: rebound.example"],
    ids=str,
)
@pytest.mark.parametrize("start", [GET, POST, POST.replace(b"POST", b"OPTIONS")], ids=["GET", "POST", "preflight"])
def test_what_is_foreign_is_refused_and_goes_no_further(running: Fronted, start: bytes, header: bytes) -> None:
    text = b"content-type: text/plain\r\ncontent-length: 2\r\n"
    lines = start.replace(b"host: 127.0.0.1:4566\r\n", b"") if header.startswith(b"host") else start

    answer = running.send(lines + text + header + b"\r\n\r\n{}")

    assert answer.startswith(b"HTTP/1.1 403 Forbidden\r\ncontent-type: application/problem+json\r\n")
    assert b"access-control" not in answer.lower()
    assert running.seen == []


def test_every_path_is_one_of_the_api(running: Fronted) -> None:
    paths = ["/", "/2015-03-31/functions", "/../../2015-03-31/functions", "//", "/_ministack/reset", "/a%2Fb?c=d&e#f"]

    for path in paths:
        running.send(GET.replace(b"/equipment/press-7", path.encode()) + b"\r\n")

    assert running.seen == [f"GET /_aws/execute-api/abc/{path[1:]}" for path in paths]


@pytest.mark.parametrize("target", [b"http://127.0.0.1/", b"*", b"127.0.0.1:80", b"equipment"])
def test_a_target_that_is_not_a_path_is_refused(running: Fronted, target: bytes) -> None:
    answer = running.send(GET.replace(b"/equipment/press-7", target) + b"\r\n")

    assert answer.startswith(b"HTTP/1.1 404 ")
    assert running.seen == []


def test_the_longest_beginning_of_a_path_decides(running: Fronted) -> None:
    running.routes["/equipment/"] = "/e/"

    running.send(GET.replace(b"/equipment/press-7", b"/equipment/press-7?a=b") + b"\r\n")
    running.send(GET.replace(b"/equipment/press-7", b"/equip") + b"\r\n")

    assert running.seen == ["GET /e/press-7?a=b", "GET /_aws/execute-api/abc/equip"]


def test_a_path_without_a_slash_at_its_end_is_that_path_only(signing_in: Fronted) -> None:
    for path in ("/logout", "/logout?client_id=b", "/logout/x", "/logouts", "/%6Cogout", "//logout", "/Logout"):
        signing_in.send(GET.replace(b"/equipment/press-7", path.encode()) + b"\r\n")

    others = [f"GET /_aws/execute-api/abc/{path}" for path in ("logout/x", "logouts", "%6Cogout", "/logout", "Logout")]
    assert signing_in.seen == ["GET /logout", "GET /logout?client_id=b", *others]


def requested(
    method: str, target: str, form: str | None = None, headers: Sequence[str] = (), *, kind: str = FORM
) -> bytes:
    """Return a request, with a form unless that is None."""
    length = [] if form is None else [f"content-type: {kind}", f"content-length: {len(form)}"]
    lines = [f"{method} {target} HTTP/1.1", "host: 127.0.0.1:4566", "connection: close", *length, *headers]
    return "\r\n".join([*lines, "", form or ""]).encode()


@pytest.mark.parametrize(("method", "target", "form"), SIGN_IN, ids=str)
def test_a_sign_in_reaches_the_emulator_as_it_is(
    signing_in: Fronted, method: str, target: str, form: str | None
) -> None:
    answer = signing_in.send(requested(method, target, form, ["expect: 100-continue"] if form else []))

    said = json.loads(answer.partition(b"HTTP/1.1 201 ")[2].partition(b"\r\n\r\n")[2])
    assert signing_in.seen == [f"{method} {target}"]
    assert said["body"] == len(form or "")
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n") == bool(form)


def is_refused(answer: bytes) -> bool:
    return answer.startswith(b"HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\n")


@pytest.mark.parametrize(("wanted", "target", "form"), SIGN_IN, ids=str)
def test_a_path_of_a_sign_in_has_one_method(signing_in: Fronted, wanted: str, target: str, form: str | None) -> None:
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get"} - {wanted}:
        assert is_refused(signing_in.send(requested(method, target, form)))
        assert is_refused(signing_in.send(requested(method, target, form, [TARGET])))
    assert signing_in.seen == []


@pytest.mark.parametrize(
    "header",
    [
        *(TARGET, "x-amz-target: AWSCognitoIdentityProviderService.AdminCreateUser"),
        *("X-AMZ-Content-SHA256: STREAMING-UNSIGNED-PAYLOAD-TRAILER", "x-amzn-anything: x"),
        *(f"Authorization: {SIGNED}", "authorization: Basic YTpi", "content-encoding: gzip"),
        *("content-encoding: aws-chunked", "transfer-encoding: chunked"),
    ],
)
@pytest.mark.parametrize(("method", "target", "form"), SIGN_IN, ids=str)
def test_a_sign_in_with_a_header_for_another_service_goes_no_further(
    signing_in: Fronted, header: str, method: str, target: str, form: str | None
) -> None:
    assert is_refused(signing_in.send(requested(method, target, form, [header])))
    assert signing_in.seen == []


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize(("method", "target", "form"), SIGN_IN, ids=str)
def test_a_sign_in_with_members_that_it_does_not_have_goes_no_further(
    signing_in: Fronted, hostile: str, method: str, target: str, form: str | None
) -> None:
    path, _, query = target.partition("?")
    for asked in (hostile, f"{query}&{hostile}", f"{hostile}&{query}"):
        assert is_refused(signing_in.send(requested(method, f"{path}?{asked}", form)))
    for sent in (hostile, f"{form}&{hostile}", f"{hostile}&{form}"):
        assert is_refused(signing_in.send(requested(method, target, sent)))
    assert signing_in.seen == []


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "multipart/form-data", f"{FORM}, {FORM}"])
def test_a_form_of_a_sign_in_is_no_other_kind_of_body(signing_in: Fronted, kind: str) -> None:
    assert is_refused(signing_in.send(requested("POST", "/login", "username=a", kind=kind)))
    assert is_refused(signing_in.send(requested("POST", "/login", headers=[f"content-type: {FORM}"])))
    too_long = [f"content-type: {FORM}", f"content-length: {sign_in_paths.LONGEST + 1}"]
    assert is_refused(signing_in.send(requested("POST", "/login", headers=too_long)))
    assert signing_in.seen == []


def test_a_form_that_breaks_off_goes_no_further(signing_in: Fronted) -> None:
    with signing_in.connect() as connection:
        connection.sendall(requested("POST", "/login", "username=a&password=b")[:-1])
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""

    assert signing_in.seen == []


def test_a_tunnel_through_which_another_request_could_follow_is_refused(running: Fronted) -> None:
    inner = requested("POST", "/2015-03-31/functions").decode()

    for method in ("CONNECT", "TRACE", "PRI", "get"):
        assert is_refused(running.send(requested(method, "/equipment", inner)))
    assert running.seen == []


def test_before_anything_is_deployed_nothing_is_let_through(running: Fronted) -> None:
    running.routes.clear()
    upgrade = UPGRADE.format(host=f"{IOT}:{running.port}", more="").encode()

    for request in (GET + b"\r\n", upgrade):
        assert running.send(request).startswith(b"HTTP/1.1 503 ")
    assert running.seen == []


def test_requests_and_answers_go_through_as_they_are_on_one_connection(running: Fronted) -> None:
    with closing(http.client.HTTPConnection(emulator.HOST, running.port, timeout=PATIENCE_S)) as connection:
        headers = {"Authorization": "Bearer x", "If-Match": '"1"', "Connection": "keep-alive", "TE": "trailers"}
        bodies: list[tuple[str, bytes | Iterator[bytes], int]] = [
            ("PUT", b"x" * 3_000_000, 3_000_000),
            ("POST", iter([b"ab", b"cde"]), 5),
        ]
        for method, body, length in bodies:
            connection.request(method, "/equipment/chunked", body, headers)
            sent = connection.sock
            answer = connection.getresponse()
            said = json.loads(answer.read())

            assert (answer.status, answer.headers["etag"]) == (201, '"1"')
            assert (said["method"], said["path"]) == (method, "/_aws/execute-api/abc/equipment/chunked")
            assert said["body"] == length
            assert said["headers"].keys() >= {"authorization", "if-match", "host"}
            assert not said["headers"].keys() & {"connection", "te"}
            assert connection.sock is sent
        for method in ("HEAD", "GET", "DELETE"):
            connection.request(method, "/")
            assert connection.getresponse().read().startswith(b"" if method == "HEAD" else b'{"method"')


def test_a_client_that_waits_for_leave_to_send_its_body_gets_it(running: Fronted) -> None:
    answer = running.send(GET.replace(b"GET", b"PUT") + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}")

    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n")
    assert b'"body": 2' in answer


@pytest.mark.parametrize(
    "message",
    [
        GET + b"transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
        GET + b"transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        GET + b"transfer-encoding: chunked\r\n\r\nfive\r\n",
        *(GET + b"content-length: 1\r\ncontent-length: 2\r\n\r\nxx", GET + b"content-length: +1\r\n\r\nx"),
        *(GET + b"content-length : 1\r\n\r\nx", GET + b"a: b\n\r\n\r\n", GET + b"a: b\r\n c\r\n\r\n"),
        *(GET.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n", GET.replace(b"GET", b"GET ") + b"\r\n"),
        *(b"garbage\r\n\r\n", GET + b"a: " + b"x" * 100_000 + b"\r\n\r\n"),
    ],
    ids=lambda message: message[-40:],
)
def test_what_two_readers_could_take_for_different_messages_is_refused(running: Fronted, message: bytes) -> None:
    assert b"HTTP/1.1 201" not in running.send(message)


def test_without_an_emulator_the_answer_is_502() -> None:
    with fronted(emulator_port=emulator.free_port()) as running:
        assert running.send(GET + b"\r\n").startswith(b"HTTP/1.1 502 ")


def test_the_allow_list_is_read_again_when_it_changes_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "front.json"
    routes = RoutesFile(path)

    before = routes()
    private_file.write(path, '{"/": "/a/"}')
    first = routes()
    private_file.write(path, '{"/": "/b/"}')

    assert (before, first, routes()) == ({}, {"/": "/a/"}, {"/": "/b/"})
    assert os.stat(path).st_mode & 0o777 == 0o600  # noqa: PTH116
    assert [one.name for one in tmp_path.iterdir()] == ["front.json"]


UPGRADE = (
    "GET /mqtt?X-Amz-Credential=a HTTP/1.1\r\nhost: {host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n"
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n"
    "sec-websocket-protocol: mqtt\r\n{more}\r\n"
)
IOT = "data-ats.iot.us-east-1.localhost"


@pytest.mark.parametrize("origin", ["http://127.0.0.1:{port}", "http://localhost:{port}", None])
def test_a_live_connection_of_our_page_goes_through_without_its_origin(running: Fronted, origin: str | None) -> None:
    more = f"origin: {origin.format(port=running.port)}\r\nsec-fetch-site: cross-site\r\n" if origin else ""

    with running.connect() as connection, connection.makefile("rb") as received:
        connection.sendall(UPGRADE.format(host=f"{IOT}:{running.port}", more=more).encode())
        head = b"".join(iter(received.readline, b"\r\n"))
        body = json.loads(received.readline())
        for piece in (b"\x82\x01a", b"\x00" * 300_000, b"end"):
            connection.sendall(piece)
            assert received.read(len(piece)) == piece

    assert head.startswith(b"HTTP/1.1 101 ")
    assert b"\r\nupgrade: websocket\r\n" in head
    assert (body["method"], body["path"]) == ("GET", "/mqtt?X-Amz-Credential=a")
    headers = body["headers"]
    assert (headers["connection"], headers["upgrade"]) == ("Upgrade", "websocket")
    assert headers["sec-websocket-protocol"] == "mqtt"
    assert headers["host"] == f"{IOT}:{running.port}"
    assert "origin" not in headers


@pytest.mark.parametrize(
    ("host", "more"),
    [
        (f"{IOT}:{{port}}", "origin: https://example.com\r\n"),
        *((f"{IOT}:{{port}}", "origin: http://127.0.0.1:3000\r\n"), (f"{IOT}:{{port}}", "origin: http://{host}\r\n")),
        (f"{IOT}:{{port}}", "origin: null\r\n"),
        (f"{IOT}:{{port}}", "origin: http://127.0.0.1:{port}\r\norigin: https://example.com\r\n"),
        *((f"{IOT}:{{port}}", "host: example.com\r\n"), ("127.0.0.1:{port}", "")),
        *(("abc.execute-api.localhost:{port}", ""), (f"{IOT}.example.com", ""), ("appsync.localhost", "")),
    ],
)
def test_a_foreign_page_opens_no_live_connection_and_nobody_another_one(running: Fronted, host: str, more: str) -> None:
    named = host.format(port=running.port)
    text = UPGRADE.format(host=named, more=more.format(port=running.port, host=named))

    assert running.send(text.encode()).startswith(b"HTTP/1.1 403 ")
    assert running.seen == []


def test_a_live_connection_that_the_emulator_refuses_is_refused(running: Fronted) -> None:
    text = UPGRADE.format(host=f"{IOT}:{running.port}", more="").replace("/mqtt?X-Amz-Credential=a", "/refused")

    assert running.send(text.encode()).startswith(b"HTTP/1.1 201 ")


def test_the_emulator_itself_opens_a_live_connection_for_no_browser() -> None:
    iot = ("host", f"{IOT}:4566")

    assert live.refusal_of_origin([iot]) is None
    assert live.refusal_of_origin([iot, ("origin", "http://127.0.0.1:4566")]) is not None
    assert live.refusal_of_origin([("host", "127.0.0.1:4566")]) is not None
