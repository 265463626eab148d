"""Presigned URLs: their bearer may use them as their signer, for some seconds. Pure.

https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import reduce
from types import MappingProxyType
from typing import Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from andon.wire.credentials import Credentials

ALGORITHM: Final = "AWS4-HMAC-SHA256"
NO_BODY: Final = hashlib.sha256(b"").hexdigest()
ANY_BODY: Final = "UNSIGNED-PAYLOAD"

_NONE: Final[Mapping[str, str]] = MappingProxyType({})


class Signed(NamedTuple):
    """A request that a URL allows. headers: those it must have, by their names in small letters; query: of the URL.

    body: the SHA-256 of its body, or `ANY_BODY`. signs_token: the session token stands in what is signed, as S3 wants
    it; else behind the signature, as the services want it to whom the signature names only the key:
    https://docs.aws.amazon.com/iot/latest/developerguide/protocols.html
    """

    method: str = "GET"
    headers: Mapping[str, str] = _NONE
    query: Mapping[str, str] = _NONE
    body: str = NO_BODY
    signs_token: bool = False


GET: Final = Signed()


def presigned(
    url: str, *, service: str, region: str, credentials: Credentials, now_ms: int, seconds: int, signed: Signed = GET
) -> str:
    """Return a URL, given without a query, presigned for some seconds."""
    parts, at = urlsplit(url), datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{at[:8]}/{region}/{service}/aws4_request"
    headers = sorted({"host": parts.netloc, **signed.headers}.items())
    names = ";".join(name for name, _ in headers)
    token = {"X-Amz-Security-Token": credentials.token} if credentials.token else {}
    query = _encoded(
        {
            **signed.query,
            "X-Amz-Algorithm": ALGORITHM,
            "X-Amz-Credential": f"{credentials.key_id}/{scope}",
            "X-Amz-Date": at,
            "X-Amz-Expires": str(seconds),
            **(token if signed.signs_token else {}),
            "X-Amz-SignedHeaders": names,
        }
    )
    lines = (f"{name}:{value}" for name, value in headers)
    request = "\n".join((signed.method, quote(parts.path), query, *lines, "", names, signed.body))
    text = "\n".join((ALGORITHM, at, scope, hashlib.sha256(request.encode()).hexdigest()))
    signature = _hmac(_key(credentials.secret, scope), text).hex()
    behind = "" if signed.signs_token else "".join(f"&{_encoded(token)}" for _ in token)
    return f"{url}?{query}&X-Amz-Signature={signature}{behind}"


def _encoded(query: Mapping[str, str]) -> str:
    """Write a query as it is signed: by the order of its names."""
    return urlencode(sorted(query.items()), quote_via=quote, safe="")


def _key(secret: str, scope: str) -> bytes:
    return reduce(_hmac, scope.split("/"), f"AWS4{secret}".encode())


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
