import http.client
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from andon.tools.stack import emulator, live, private_file
from andon.tools.stack.foreign import refusal
from andon.tools.stack.front import RoutesFile
from tests.support.front import Fronted, fronted

GET = b"GET /equipment/press-7 HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
POST = b"POST /2015-03-31/functions HTTP/1.1\r\nhost: 127.0.0.1:4566\r\nconnection: close\r\n"


@pytest.fixture
def running() -> Iterator[Fronted]:
    with fronted() as front:
        yield front


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
        {},
        {"host": ""},
        {"host": "rebound.example:4566"},
        {"host": "127.0.0.1.example"},
        {"host": "localhost@example.com"},
        {"host": "127.0.0.1:4566", "origin": "https://example.com"},
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
    running.routes["/oauth2/"] = "/oauth2/"

    running.send(GET.replace(b"/equipment/press-7", b"/oauth2/authorize?a=b") + b"\r\n")
    running.send(GET.replace(b"/equipment/press-7", b"/oauth") + b"\r\n")

    assert running.seen == ["GET /oauth2/authorize?a=b", "GET /_aws/execute-api/abc/oauth"]


def test_a_path_without_a_slash_at_its_end_is_that_path_only(running: Fronted) -> None:
    running.routes["/login"] = "/login"

    for path in ("/login", "/login?a=b", "/login/x", "/logins"):
        running.send(GET.replace(b"/equipment/press-7", path.encode()) + b"\r\n")

    behind = "/_aws/execute-api/abc"
    assert running.seen == ["GET /login", "GET /login?a=b", f"GET {behind}/login/x", f"GET {behind}/logins"]


def test_before_anything_is_deployed_nothing_is_let_through(running: Fronted) -> None:
    running.routes.clear()

    assert running.send(GET + b"\r\n").startswith(b"HTTP/1.1 503 ")
    assert running.seen == []


def test_requests_and_answers_go_through_as_they_are_on_one_connection(running: Fronted) -> None:
    with closing(http.client.HTTPConnection(emulator.HOST, running.port, timeout=10)) as connection:
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
        GET + b"content-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        GET + b"content-length: +1\r\n\r\nx",
        GET + b"content-length : 1\r\n\r\nx",
        GET + b"a: b\n\r\n\r\n",
        GET + b"a: b\r\n c\r\n\r\n",
        GET.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n",
        GET.replace(b"GET", b"GET ") + b"\r\n",
        b"garbage\r\n\r\n",
        GET + b"a: " + b"x" * 100_000 + b"\r\n\r\n",
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
def test_a_live_connection_of_our_page_reaches_the_emulator_without_its_origin(
    running: Fronted, origin: str | None
) -> None:
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
        (f"{IOT}:{{port}}", "origin: http://127.0.0.1:3000\r\n"),
        (f"{IOT}:{{port}}", "origin: http://{host}\r\n"),
        (f"{IOT}:{{port}}", "origin: null\r\n"),
        (f"{IOT}:{{port}}", "origin: http://127.0.0.1:{port}\r\norigin: https://example.com\r\n"),
        (f"{IOT}:{{port}}", "host: example.com\r\n"),
        ("127.0.0.1:{port}", ""),
        ("abc.execute-api.localhost:{port}", ""),
        (f"{IOT}.example.com", ""),
        ("appsync.localhost", ""),
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


def test_before_anything_is_deployed_there_is_no_live_connection(running: Fronted) -> None:
    running.routes.clear()

    answer = running.send(UPGRADE.format(host=f"{IOT}:{running.port}", more="").encode())

    assert answer.startswith(b"HTTP/1.1 503 ")


def test_the_emulator_itself_opens_a_live_connection_for_no_browser() -> None:
    iot = ("host", f"{IOT}:4566")

    assert live.refusal_of_origin([iot]) is None
    assert live.refusal_of_origin([iot, ("origin", "http://127.0.0.1:4566")]) is not None
    assert live.refusal_of_origin([("host", "127.0.0.1:4566")]) is not None
