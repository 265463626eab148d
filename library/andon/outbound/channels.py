"""The channels of a deployment, by its environment; one that has no settings is not there."""

import os
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from andon.outbound.addresses import Hosts
from andon.outbound.variables import MAIL_FROM, PUSH_HOSTS, PUSH_SECRET, SMS_MOST_DOLLARS, SMS_PER_DAY, WEBHOOK_HOSTS
from andon.runtime import clock
from andon.runtime.clock import MINUTE_MS
from andon.runtime.errors import CallFailed
from andon.wire import aws

if TYPE_CHECKING:  # who needs a secret alone loads no deliveries
    from collections.abc import Iterator, Mapping

    from andon.outbound.delivery import Channel

# Secrets in Secrets Manager: a value, and the one before it, which counts until what was made with it has expired.
#
# https://docs.aws.amazon.com/secretsmanager/latest/userguide/whats-in-a-secret.html#term_version

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


# At most so many of the stage's own mails a second, and requests to one host: what SES allows at first, and what
# receivers take. https://docs.aws.amazon.com/ses/latest/dg/quotas.html
PER_SECOND = {"mail": 14, "webhook": 1}


def channels_of_environment(*, source: str) -> "Mapping[str, Channel]":
    """Return the channels of this deployment by their names; source: the sender's name in webhooks."""
    return {channel.name: channel for channel in _channels(source)}


def hosts_in(variable: str) -> Hosts:
    """Return the hosts of a setting; none where it is missing."""
    return Hosts(os.environ.get(variable, "").split())


def per_day(channel: str) -> int | None:
    """Return the most messages that a deployment may send by a channel in a day (UTC); None: as many as there are."""
    most = os.environ.get(SMS_PER_DAY) if channel == "sms" else None
    return int(most) if most else None


def _channels(source: str) -> "Iterator[Channel]":
    """Import each channel where it is used: without pushes, `cryptography` costs nothing."""
    if sender := os.environ.get(MAIL_FROM):
        from andon.outbound.mail import Mail  # noqa: PLC0415  see above

        yield Mail(sender)
    if dollars := os.environ.get(SMS_MOST_DOLLARS):
        from andon.outbound.sms import Sms  # noqa: PLC0415  see above

        yield Sms(most_dollars=dollars)
    if os.environ.get(WEBHOOK_HOSTS):
        from andon.outbound.webhook import Webhook  # noqa: PLC0415  see above

        yield Webhook(hosts_in(WEBHOOK_HOSTS), source=source)
    if sender and os.environ.get(PUSH_HOSTS) and os.environ.get(PUSH_SECRET):
        from andon.outbound.push import Push, Signer  # noqa: PLC0415  see above

        secret, signer = Secret(PUSH_SECRET), cache(Signer)
        yield Push(hosts_in(PUSH_HOSTS), signer=lambda: signer(secret.values()[0]), contact=f"mailto:{sender}")
