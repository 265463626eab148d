"""TLS is verified, requests are signed as AWS checks it, and no credential is ever written anywhere."""

import datetime as dt
import logging
import socket
import ssl
import traceback
import warnings
from pathlib import Path
from typing import Any, Final

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials

from andon.runtime.errors import CallFailed
from andon.testing.certificates import DAY, Authority
from andon.testing.either_wire import BOTH, KEY, SECRET, TOKEN, connected
from andon.testing.scripted_server import (
    HUNG_UP,
    ReceivedRequest,
    ScriptedAnswer,
    ScriptedServer,
    in_turn,
    refused,
    whole,
)
from andon.wire import aws, aws_json, curl
from andon.wire.credentials import credentials

HOST: Final = "127.0.0.1"


def get() -> dict[str, Any]:
    return aws.call("dynamodb", "get_item", TableName="工", Key={"pk": {"S": "ключ"}})


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.create(tmp_path_factory.mktemp("authority"))


@pytest.mark.parametrize("wire", BOTH)
def test_a_server_of_a_trusted_authority_is_believed(wire: str, authority: Authority) -> None:
    with (
        ScriptedServer(in_turn(whole({"Item": {}})), tls=authority.server(HOST)) as server,
        connected(wire, server.url, AWS_CA_BUNDLE=str(authority.bundle)),
    ):
        assert get()["Item"] == {}


@pytest.mark.parametrize("wire", BOTH)
def test_a_bundle_may_lie_in_a_folder_of_any_name(wire: str, tmp_path: Path) -> None:
    folder = tmp_path / "ünïcode 工"
    folder.mkdir()
    authority = Authority.create(folder)

    with (
        ScriptedServer(in_turn(whole({"Item": {}})), tls=authority.server(HOST)) as server,
        connected(wire, server.url, AWS_CA_BUNDLE=str(authority.bundle)),
    ):
        assert get()["Item"] == {}


@pytest.mark.parametrize("wire", BOTH)
@pytest.mark.parametrize(
    ("host", "ends", "trusted"),
    [("dynamodb.example", DAY, True), ("127.0.0.2", DAY, True), (HOST, -DAY, True), (HOST, DAY, False)],
    ids=["another name", "another address", "expired", "of an unknown authority"],
)
def test_any_other_server_is_not_and_sees_no_request(
    wire: str,
    host: str,
    ends: dt.timedelta,
    *,
    trusted: bool,
    authority: Authority,
    tmp_path: Path,
    pauses: list[float],
) -> None:
    bundle = authority.bundle if trusted else Authority.create(tmp_path).bundle
    with (
        ScriptedServer(in_turn(whole()), tls=authority.server(host, ends=ends)) as server,
        connected(wire, server.url, AWS_CA_BUNDLE=str(bundle)),
        pytest.raises(CallFailed, match="SSLError"),
    ):
        get()

    assert server.requests == []
    if wire == aws.LIBCURL:  # botocore tries again
        assert (server.connections, pauses) == (1, [])


def test_without_a_bundle_of_ones_own_the_authorities_are_certifis(authority: Authority) -> None:
    with (
        ScriptedServer(in_turn(whole()), tls=authority.server(HOST)) as server,
        connected(aws.LIBCURL, server.url, AWS_CA_BUNDLE=""),
        pytest.raises(CallFailed, match="SSLError"),
    ):
        get()


def test_a_handshake_that_breaks_off_is_tried_again(authority: Authority, pauses: list[float]) -> None:
    context = authority.server(HOST)
    broken = [True, True, False]

    class Breaking:
        @staticmethod
        def wrap_socket(connection: socket.socket, *, server_side: bool) -> ssl.SSLSocket:
            if broken.pop(0):
                raise OSError
            return context.wrap_socket(connection, server_side=server_side)

    with (
        ScriptedServer(in_turn(whole({"Item": {}})), tls=Breaking) as server,
        connected(aws.LIBCURL, server.url, AWS_CA_BUNDLE=str(authority.bundle)),
    ):
        assert get()["Item"] == {}
    assert (len(pauses), server.connections) == (2, 3)


@pytest.mark.parametrize("service", ["dynamodb", "events"])
@pytest.mark.parametrize("token", [TOKEN, ""])
def test_a_request_is_signed_as_botocore_signs_it(service: str, token: str) -> None:
    requests: dict[str, tuple[str, dict[str, Any]]] = {
        "dynamodb": ("update_item", {"TableName": "工", "Key": {"pk": {"S": "ключ 🔧"}}}),
        "events": ("put_events", {"Entries": [{"Detail": '{"detail":"81 °C 🏭"}'}]}),
    }
    operation, request = requests[service]
    with (
        ScriptedServer(in_turn(whole())) as server,
        connected(aws.LIBCURL, server.url, AWS_SESSION_TOKEN=token, AWS_DEFAULT_REGION="eu-central-1"),
    ):
        aws.call(service, operation, **request)

    (asked,) = server.requests
    assert asked.headers.get("x-amz-security-token", "") == token
    assert asked.headers["authorization"] == authorization_of(asked, service, token)


def authorization_of(asked: ReceivedRequest, service: str, token: str) -> str:
    """Return botocore's signature of the same headers at the same time."""
    verb, path, _ = asked.start.split(" ")
    signed = asked.headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
    assert {"host", "x-amz-date", "content-type", *({"x-amz-target"} & asked.headers.keys())} <= set(signed)
    headers = {name: asked.headers[name] for name in signed}
    request = AWSRequest(verb, f"http://{asked.headers['host']}{path}", headers=headers, data=asked.body)
    request.context["timestamp"] = asked.headers["x-amz-date"]
    signer = SigV4Auth(BotocoreCredentials(KEY, SECRET, token or None), service, "eu-central-1")
    text = signer.string_to_sign(request, signer.canonical_request(request))
    scope, signature = signer.credential_scope(request), signer.signature(text, request)
    return f"AWS4-HMAC-SHA256 Credential={KEY}/{scope}, SignedHeaders={';'.join(signed)}, Signature={signature}"


def _secrets_in(text: str) -> list[str]:
    return [secret for secret in (KEY, SECRET, TOKEN) if secret in text]


def test_whatever_fails_no_credential_is_written_anywhere(
    authority: Authority,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    pauses: list[float],  # noqa: ARG001
) -> None:
    said = []
    wholes = [refused("AccessDenied"), whole(b"<html>", 500), whole(crc=0)]
    answers = [HUNG_UP, ScriptedAnswer(whole()[:50], reset=True), *map(ScriptedAnswer, wholes)]
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as warned:
        for answer in answers:
            with ScriptedServer(in_turn(answer)) as server, connected(aws.LIBCURL, server.url):
                said.append(_failure())
        with ScriptedServer(in_turn(whole()), tls=authority.server("x")) as server, connected("libcurl", server.url):
            said.append(_failure())
        for nowhere in ("http://127.0.0.1:1", "http://no.such.host.invalid", "no://url", "http://[", ""):
            with connected(aws.LIBCURL, nowhere or "http://127.0.0.1:1"):
                said.append(_failure())

    assert len(said) == len(answers) + 6
    said += [*(str(one.message) for one in warned), *caplog.messages, *capfd.readouterr()]
    assert _secrets_in("\n".join(said)) == []


def _failure() -> str:
    with pytest.raises(CallFailed) as failed:
        get()
    shown = traceback.TracebackException.from_exception(failed.value, capture_locals=True)
    return "".join([*shown.format(), repr(failed.value.response)])


def test_neither_credentials_nor_a_request_show_them() -> None:
    with connected(aws.LIBCURL, "http://127.0.0.1:1"):
        request = aws_json._request("dynamodb", "get_item", b"{}")  # noqa: SLF001  what is logged of it, if anything is

    shown = [repr(request), str(request), f"{request}", repr(request.credentials), "%s" % (request.credentials,)]  # noqa: UP031
    assert _secrets_in("\n".join(shown)) == []


def test_what_is_in_the_environment_is_what_signs() -> None:
    with connected(aws.LIBCURL, "http://127.0.0.1:1"):
        assert tuple(credentials()) == (KEY, SECRET, TOKEN)
    assert curl.ERRORS
