"""Secrets in Secrets Manager: a value, and the one before it, which counts until what was made with it has expired.

https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html#term_version
"""

import os
from typing import Final, NamedTuple

from andon.runtime import clock
from andon.runtime.clock import MINUTE_MS
from andon.runtime.errors import CallFailed
from andon.wire import aws

KEPT_MS: Final = 5 * MINUTE_MS
"""A process asks again after so long."""

_CURRENT: Final = "AWSCURRENT"
_PREVIOUS: Final = "AWSPREVIOUS"
_MISSING: Final = "ResourceNotFoundException"


class _Read(NamedTuple):
    values: tuple[str, ...]
    at_ms: int
    name: str


class Secret:
    """A secret, named by an environment variable that is read at use."""

    def __init__(self, variable: str) -> None:
        self._variable = variable
        self._read: _Read | None = None

    def values(self) -> tuple[str, ...]:
        """Return its value, and the one before if there was one.

        Raises:
            CallFailed: it could not be read.

        """
        name, now_ms = os.environ[self._variable], clock.now_ms()
        if self._read is None or self._read.name != name or not 0 <= now_ms - self._read.at_ms < KEPT_MS:
            self._read = _Read((_value(name, _CURRENT), *_previous(name)), now_ms, name)
        return self._read.values

    def keys(self) -> tuple[bytes, ...]:
        """Return its values as keys."""
        return tuple(value.encode() for value in self.values())


def _value(name: str, stage: str) -> str:
    return str(aws.call("secretsmanager", "get_secret_value", SecretId=name, VersionStage=stage)["SecretString"])


def _previous(name: str) -> tuple[str, ...]:
    try:
        return (_value(name, _PREVIOUS),)
    except CallFailed as failed:
        if failed.code == _MISSING:  # it was never rotated
            return ()
        raise
