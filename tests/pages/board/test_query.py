import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from andon.http.static_files import CONTENT_TYPES, StaticFile, static_files
from andon.testing.environment import LocalContext
from andon.testing.log_lines import LogLines
from pages.board import query

ENVIRONMENT = {
    "ISSUER": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc",
    "CLIENT_ID": "people",
    "WALL_CLIENT_ID": "walls",
    "SIGN_IN_ORIGIN": "https://andon-1.auth.eu-west-1.amazoncognito.com",
    "LIVE_ORIGIN": "wss://live.example",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    for cached in (query._files, query._headers):  # noqa: SLF001  a function's environment never changes
        cached.cache_clear()
    yield
    for cached in (query._files, query._headers):  # noqa: SLF001
        cached.cache_clear()


def get(file: str | None = None, **headers: str) -> dict[str, Any]:
    route = "GET /" if file is None else "GET /page/{file}"
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    event: dict[str, Any] = {"routeKey": route, "requestContext": {"requestId": "request-1"}, "headers": sent}
    if file is not None:
        event["pathParameters"] = {"file": file}
    return query.handler(event, LocalContext("board-query"))


def content(response: dict[str, Any]) -> bytes:
    raw = base64.b64decode(response["body"])
    return gzip.decompress(raw) if response["headers"].get("content-encoding") == "gzip" else raw


def test_the_root_is_the_index() -> None:
    response = get()

    assert response["statusCode"] == 200
    assert response["headers"]["content-type"] == "text/html; charset=utf-8"
    assert content(response) == content(get("index.html")) == (query.FOLDER / "index.html").read_bytes()


@pytest.mark.parametrize("name", sorted(file.name for file in query.FOLDER.iterdir()))
def test_every_file_of_the_page_is_served_as_it_is_with_its_type(name: str) -> None:
    for headers in ({}, {"accept_encoding": "gzip, br"}):
        response = get(name, **headers)

        assert content(response) == (query.FOLDER / name).read_bytes()
        assert response["headers"]["content-type"] == CONTENT_TYPES[Path(name).suffix]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../query.py", "query.py", "page", "index", "INDEX.HTML", "__init__.py"]
)
def test_nothing_else_is_served(name: str) -> None:
    response = get(name)

    assert response["statusCode"] == 404
    assert response["headers"]["content-security-policy"]


def test_the_settings_name_the_provider_and_no_secret() -> None:
    assert json.loads(content(get("settings.json"))) == {
        "issuer": ENVIRONMENT["ISSUER"],
        "clientId": "people",
        "wallClientId": "walls",
        "scopes": "openid aws.cognito.signin.user.admin",
        "wallScopes": "openid andon/read",
    }


def test_a_stage_that_pushes_says_its_public_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUSH_KEY", "BNo")

    assert json.loads(content(get("settings.json")))["pushKey"] == "BNo"


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_who_has_the_newest_gets_it_no_second_time(encoding: str) -> None:
    first = get("session.js", accept_encoding=encoding)
    again = get("session.js", accept_encoding=encoding, if_none_match=first["headers"]["etag"])

    assert again["statusCode"] == 304
    assert "body" not in again
    for name in ("etag", "vary", "cache-control", "content-security-policy"):
        assert again["headers"][name] == first["headers"][name]


def test_each_encoding_has_a_tag_of_its_own() -> None:
    plain, compressed = get("session.js"), get("session.js", accept_encoding="gzip")

    assert plain["headers"]["etag"] != compressed["headers"]["etag"]
    assert get("session.js", if_none_match=compressed["headers"]["etag"])["statusCode"] == 200


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [("gzip", True), ("br;q=1.0, GZIP;q=0.5", True), ("gzip;q=0", False), ("gzip; q=0.0", False), ("x-gzip2", False)],
)
def test_a_client_gets_gzip_if_it_takes_it(accepted: str, compressed: bool) -> None:  # noqa: FBT001
    assert ("content-encoding" in get("session.js", accept_encoding=accepted)["headers"]) == compressed


def test_a_browser_runs_nothing_but_the_page_and_connects_to_nobody_else() -> None:
    policy = dict(part.split(" ", 1) for part in get()["headers"]["content-security-policy"].split("; "))

    assert policy.pop("connect-src").split() == [
        "'self'",
        "https://cognito-idp.eu-west-1.amazonaws.com",
        ENVIRONMENT["SIGN_IN_ORIGIN"],
        ENVIRONMENT["LIVE_ORIGIN"],
    ]
    assert policy.pop("form-action") == f"'self' {ENVIRONMENT['SIGN_IN_ORIGIN']}"
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "worker",
    }


@pytest.mark.parametrize("file", [None, "session.js", "settings.json", "no-such.js"])
def test_every_response_says_what_a_browser_may_do_with_it(file: str | None) -> None:
    headers = get(file)["headers"]

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-request-id"] == "request-1"


def test_one_line_is_logged_with_ids_and_the_outcome(log_lines: LogLines) -> None:
    get("no-such.js")

    [line] = log_lines
    assert (line["message"], line["status"], line["request_id"]) == ("GET /page/{file}", 404, "request-1")


def test_a_file_of_an_unknown_type_is_not_served_as_something_else(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")

    with pytest.raises(KeyError):
        static_files(tmp_path)


def test_the_same_content_has_the_same_tag_on_every_machine() -> None:
    assert StaticFile.of("a.js", b"x") == StaticFile.of("a.js", b"x")
    assert StaticFile.of("a.js", b"x").digest != StaticFile.of("a.js", b"y").digest
