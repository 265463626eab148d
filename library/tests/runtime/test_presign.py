"""Presigned URLs are those of botocore; the session token stands behind the signature."""

import datetime as dt
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials

from andon.wire.credentials import ANY_BODY, Credentials, Signed, presigned

NOW = 1_587_739_830_123
AT = dt.datetime.fromtimestamp(NOW // 1000, dt.UTC)
TOKEN = "token//of+nobody=="


@pytest.mark.parametrize(
    "origin", ["wss://a1b2-ats.iot.eu-central-1.amazonaws.com", "ws://iot.us-east-1.localhost:4566"]
)
@pytest.mark.parametrize("path", ["/mqtt", "/a b/ü"])
@pytest.mark.parametrize("secret", ["wJalr/secret+OfNobody=", "x"])
def test_an_address_is_presigned_as_botocore_does(
    monkeypatch: pytest.MonkeyPatch, origin: str, path: str, secret: str
) -> None:
    monkeypatch.setattr(auth, "get_current_datetime", lambda **_: AT)
    request = AWSRequest("GET", origin + path)
    auth.SigV4QueryAuth(BotocoreCredentials("AKID", secret), "iotdevicegateway", "eu-central-1", 60).add_auth(request)

    ours = presigned(
        origin + path,
        service="iotdevicegateway",
        region="eu-central-1",
        credentials=Credentials("AKID", secret, TOKEN),
        now_ms=NOW,
        seconds=60,
    )

    url, _, token = ours.partition("&X-Amz-Security-Token=")
    assert url == request.url
    assert parse_qs(f"token={token}") == {"token": [TOKEN]}


def test_who_has_no_token_signs_without_one() -> None:
    url = presigned(
        "wss://iot.example/mqtt",
        service="iotdevicegateway",
        region="us-east-1",
        credentials=Credentials("AKID", "secret", ""),
        now_ms=NOW,
        seconds=60,
    )

    assert "X-Amz-Security-Token" not in parse_qs(urlsplit(url).query)


@pytest.mark.parametrize("token", [TOKEN, None])
@pytest.mark.parametrize(
    ("method", "headers"),
    [("GET", {}), ("PUT", {"content-type": "image/jpeg", "content-length": "7", "x-amz-checksum-sha256": "a+b/c="})],
)
def test_an_address_of_s3_is_presigned_as_botocore_does(
    monkeypatch: pytest.MonkeyPatch, method: str, headers: dict[str, str], token: str | None
) -> None:
    monkeypatch.setattr(auth, "get_current_datetime", lambda **_: AT)
    url, query = "https://things.s3.eu-central-1.amazonaws.com/contents/a/1", {"response-content-type": "image/png"}
    request = AWSRequest(method, url, headers=headers, params=query)
    auth.S3SigV4QueryAuth(BotocoreCredentials("AKID", "secret", token), "s3", "eu-central-1", 60).add_auth(request)

    ours = presigned(
        url,
        service="s3",
        region="eu-central-1",
        credentials=Credentials("AKID", "secret", token or ""),
        now_ms=NOW,
        seconds=60,
        signed=Signed(method, headers, query, ANY_BODY, signs_token=True),
    )

    assert parse_qs(urlsplit(ours).query) == parse_qs(urlsplit(request.url).query)
    assert urlsplit(ours).path == urlsplit(request.url).path
