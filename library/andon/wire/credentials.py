"""Credentials and region, from Lambda's environment, elsewhere those that botocore finds; and URLs signed by them."""

import hashlib
import hmac
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from andon.runtime.errors import CallFailed

if TYPE_CHECKING:
    from botocore.session import Session


class Credentials(NamedTuple):
    """AWS credentials; `token` is empty for those of a user."""

    key_id: str
    secret: str
    token: str

    def __repr__(self) -> str:
        """Return the part that may be logged."""
        return "Credentials(…)"


def credentials() -> Credentials:
    """Return the credentials of this moment, refreshed before they expire.

    Raises:
        CallFailed: there are none, or they could not be refreshed.

    """
    return _of_environment() or _of_session()


@cache
def region() -> str:
    """Return the region of the process.

    Raises:
        CallFailed: none is configured.

    """
    found = os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION")  # in botocore's order
    found = found or _session().get_config_variable("region")
    if not found:
        raise CallFailed("NoRegionError")
    return found


@cache
def _of_environment() -> Credentials | None:
    """Return Lambda's: they last as long as the process."""
    key_id, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    return Credentials(key_id, secret, os.environ.get("AWS_SESSION_TOKEN", "")) if key_id and secret else None


def _of_session() -> Credentials:
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415  see below

    try:
        found = _session().get_credentials()
        frozen = found.get_frozen_credentials() if found else None  # refreshes them where they must be
    except BotoCoreError as error:
        raise CallFailed(type(error).__name__) from error
    if frozen is None:
        raise CallFailed("NoCredentialsError")
    return Credentials(frozen.access_key, frozen.secret_key, frozen.token or "")


@cache
def _session() -> "Session":
    from botocore.session import get_session  # noqa: PLC0415  on Lambda it is never needed

    return get_session()


def forget() -> None:
    """Read everything anew, for the environment has changed."""
    for cached in (region, _of_environment, _session):
        cached.cache_clear()


# Presigned URLs: their bearer may use them as their signer, for some seconds. Pure.
#
# https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_NO_BODY: Final = hashlib.sha256(b"").hexdigest()
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
    body: str = _NO_BODY
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
            "X-Amz-Algorithm": _ALGORITHM,
            "X-Amz-Credential": f"{credentials.key_id}/{scope}",
            "X-Amz-Date": at,
            "X-Amz-Expires": str(seconds),
            **(token if signed.signs_token else {}),
            "X-Amz-SignedHeaders": names,
        }
    )
    lines = (f"{name}:{value}" for name, value in headers)
    request = "\n".join((signed.method, quote(parts.path), query, *lines, "", names, signed.body))
    text = "\n".join((_ALGORITHM, at, scope, hashlib.sha256(request.encode()).hexdigest()))
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
