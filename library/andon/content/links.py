"""Addresses of contents: presigned, for one object and one purpose each. No call is made for them.

https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html
"""

from typing import Final, NamedTuple

from andon.content.contents import URL_SECONDS, Content, Contents
from andon.content.keep import checksum_of
from andon.wire.aws_json import endpoint_of
from andon.wire.credentials import credentials, region
from andon.wire.presign import ANY_BODY, Signed, presigned

READ_SECONDS: Final = 5 * 60

CHECKSUM: Final = "x-amz-checksum-sha256"
CONTENT_TYPE: Final = "content-type"
LENGTH: Final = "content-length"


class Upload(NamedTuple):
    """An upload by PUT. headers: those that the request must have; expires_ms: it begins before that."""

    url: str
    headers: dict[str, str]
    expires_ms: int


def to_upload(contents: Contents, name: str, content: Content, *, now_ms: int) -> Upload:
    """Return the request with which a client uploads an object; S3 refuses other bytes, more of them, and another type.

    Its length is signed too, which every client sends itself.
    """
    headers = {CHECKSUM: checksum_of(content.sha256), CONTENT_TYPE: content.content_type}
    signed = Signed("PUT", {**headers, LENGTH: str(content.size)}, body=ANY_BODY, signs_token=True)
    url = _presigned(contents, name, signed, now_ms=now_ms, seconds=URL_SECONDS)
    return Upload(url, headers, now_ms + URL_SECONDS * 1000)


def to_read(contents: Contents, name: str, content_type: str, *, now_ms: int) -> str:
    """Return the address from which an object can be read for `READ_SECONDS`, as the type that its reference says."""
    signed = Signed(query={"response-content-type": content_type}, body=ANY_BODY, signs_token=True)
    return _presigned(contents, name, signed, now_ms=now_ms, seconds=READ_SECONDS)


def _presigned(contents: Contents, name: str, signed: Signed, *, now_ms: int, seconds: int) -> str:
    return presigned(
        address_of(contents.bucket.name, name),
        service="s3",
        region=region(),
        credentials=credentials(),
        now_ms=now_ms,
        seconds=seconds,
        signed=signed,
    )


def address_of(bucket: str, name: str) -> str:
    """Return the address of an object: at AWS its host names the bucket, at a configured endpoint its path."""
    endpoint = endpoint_of("s3", "S3")
    scheme, _, host = endpoint.partition("://")
    if host.startswith("s3.") and host.partition("/")[0].endswith((".amazonaws.com", ".amazonaws.com.cn")):
        return f"{scheme}://{bucket}.{host}/{name}"
    return f"{endpoint.rstrip('/')}/{bucket}/{name}"
