"""Presigned URLs: whoever has one may use it as the one who signed it, for some seconds. Pure.

https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
"""

import hashlib
import hmac
from datetime import UTC, datetime
from functools import reduce
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from andon.wire.credentials import Credentials

ALGORITHM: Final = "AWS4-HMAC-SHA256"
NO_BODY: Final = hashlib.sha256(b"").hexdigest()


def presigned(url: str, *, service: str, region: str, credentials: Credentials, now_ms: int, seconds: int) -> str:
    """Return a URL without a query, for a GET, presigned for some seconds.

    The session token stands behind the signature and is not signed, as the services want it to whom the signature
    names only the key: https://docs.aws.amazon.com/iot/latest/developerguide/protocols.html
    """
    parts, at = urlsplit(url), datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{at[:8]}/{region}/{service}/aws4_request"
    query = urlencode(
        {
            "X-Amz-Algorithm": ALGORITHM,
            "X-Amz-Credential": f"{credentials.key_id}/{scope}",
            "X-Amz-Date": at,
            "X-Amz-Expires": seconds,
            "X-Amz-SignedHeaders": "host",
        },
        quote_via=quote,
        safe="",
    )
    request = "\n".join(("GET", quote(parts.path), query, f"host:{parts.netloc}", "", "host", NO_BODY))
    text = "\n".join((ALGORITHM, at, scope, hashlib.sha256(request.encode()).hexdigest()))
    signature = _hmac(_key(credentials.secret, scope), text).hex()
    token = f"&X-Amz-Security-Token={quote(credentials.token, safe='')}" if credentials.token else ""
    return f"{url}?{query}&X-Amz-Signature={signature}{token}"


def _key(secret: str, scope: str) -> bytes:
    return reduce(_hmac, scope.split("/"), f"AWS4{secret}".encode())


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
