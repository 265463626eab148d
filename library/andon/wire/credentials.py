"""Credentials and region: from Lambda's environment; elsewhere those that botocore finds."""

import os
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

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
