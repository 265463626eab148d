"""Requests by presigned addresses -> the buckets of AWS in memory, as a browser makes them and S3 answers."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from andon.runtime import clock, times
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.calls import AwsRefused, Call
from andon.wire.credentials import credentials, region
from andon.wire.presign import ANY_BODY, Signed, presigned

OWN: Final = "X-Amz-"
SIGNED: Final = "X-Amz-SignedHeaders"


def request(
    world: AwsInMemory, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> tuple[int, bytes]:
    """Send a request by a presigned address; return status and body. A client says its length itself."""
    sent = {name.lower(): value for name, value in (headers or {}).items()}
    if method == "PUT":
        sent["content-length"] = str(len(body))
    parts = urlsplit(url)
    bucket, _, key = parts.path.removeprefix("/").partition("/")
    if parts.netloc.partition(".")[0] in world.store:
        bucket, key = parts.netloc.partition(".")[0], parts.path.removeprefix("/")
    if not _is_signed(method, url, sent):
        return HTTPStatus.FORBIDDEN, b"SignatureDoesNotMatch"
    try:
        if method == "GET":
            found = world.answer(Call("s3", "GetObject", {"Bucket": bucket, "Key": key}))
            return HTTPStatus.OK, found["Body"].read()
        checksum = {"ChecksumSHA256": sent["x-amz-checksum-sha256"]} if "x-amz-checksum-sha256" in sent else {}
        world.answer(Call("s3", "PutObject", {"Bucket": bucket, "Key": key, "Body": body, **checksum}))
    except AwsRefused as refused:
        return refused.status, refused.code.encode()
    return HTTPStatus.OK, b""


def _is_signed(method: str, url: str, sent: Mapping[str, str]) -> bool:
    """Return True if an address is of our signature, allows the request, and has not expired."""
    parts, query = urlsplit(url), dict(parse_qsl(urlsplit(url).query))
    names = query[SIGNED].split(";")
    if not {*names} <= {*sent, "host"}:
        return False
    seconds, signed_at = int(query["X-Amz-Expires"]), query["X-Amz-Date"]
    at_ms = times.to_ms(f"{signed_at[:4]}-{signed_at[4:6]}-{signed_at[6:11]}:{signed_at[11:13]}:{signed_at[13:15]}Z")
    signed = Signed(
        method,
        {name: sent[name] for name in names if name != "host"},
        {name: value for name, value in query.items() if not name.startswith(OWN)},
        ANY_BODY,
        signs_token=True,
    )
    own = presigned(
        f"{parts.scheme}://{parts.netloc}{parts.path}",
        service="s3",
        region=region(),
        credentials=credentials(),
        now_ms=at_ms,
        seconds=seconds,
        signed=signed,
    )
    return own == url and clock.now_ms() <= at_ms + seconds * 1000
