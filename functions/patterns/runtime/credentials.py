"""Who signs requests, and for which region: from Lambda's environment; elsewhere whatever botocore finds."""

import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from botocore.session import Session


class Credentials(NamedTuple):
    """AWS credentials; `token` is empty for those of a user."""

    key_id: str
    secret: str
    token: str

    def __repr__(self) -> str:
        """Return what may be logged."""
        return "Credentials(…)"


def credentials() -> Credentials:
    """Return the credentials of this moment; what expires is refreshed before it does.

    Raises:
        LookupError: there are none.

    """
    return _of_environment() or _of_session()


@cache
def region() -> str:
    """Return the region of the process.

    Raises:
        LookupError: none is configured.

    """
    found = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    found = found or _session().get_config_variable("region")
    if not found:
        raise LookupError("AWS_REGION is not set")
    return found


@cache
def _of_environment() -> Credentials | None:
    """Return Lambda's: they last as long as the process."""
    key_id, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    return Credentials(key_id, secret, os.environ.get("AWS_SESSION_TOKEN", "")) if key_id and secret else None


def _of_session() -> Credentials:
    found = _session().get_credentials()
    if found is None:
        raise LookupError("there are no AWS credentials")
    frozen = found.get_frozen_credentials()  # refreshes them where they must be
    return Credentials(frozen.access_key, frozen.secret_key, frozen.token or "")


@cache
def _session() -> "Session":
    from botocore.session import get_session  # noqa: PLC0415  on Lambda it is never needed

    return get_session()


def forget() -> None:
    """Read everything anew, for the environment has changed."""
    for cached in (region, _of_environment, _session):
        cached.cache_clear()
