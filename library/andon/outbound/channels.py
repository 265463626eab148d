"""The channels of a deployment, by its environment; one that has no settings is not there."""

import os
from collections.abc import Iterator, Mapping
from functools import cache

from andon.outbound.channel import Channel
from andon.outbound.hosts import Hosts
from andon.outbound.secret import Secret
from andon.outbound.variables import (
    MAIL_FROM,
    PUSH_HOSTS,
    PUSH_SECRET,
    SMS_MOST_DOLLARS,
    SMS_PER_DAY,
    WEBHOOK_HOSTS,
)

# At most so many of the stage's own mails a second, and requests to one host: what SES allows at first, and what
# receivers take. https://docs.aws.amazon.com/ses/latest/dg/quotas.html
PER_SECOND = {"mail": 14, "webhook": 1}


def channels_of_environment(*, source: str) -> Mapping[str, Channel]:
    """Return the channels of this deployment by their names; source: what webhooks call it."""
    return {channel.name: channel for channel in _channels(source)}


def hosts_in(variable: str) -> Hosts:
    """Return the hosts of a setting; none where it is missing."""
    return Hosts(os.environ.get(variable, "").split())


def per_day(channel: str) -> int | None:
    """Return the most messages that a deployment may send by a channel in a day (UTC); None: as many as there are."""
    most = os.environ.get(SMS_PER_DAY) if channel == "sms" else None
    return int(most) if most else None


def _channels(source: str) -> Iterator[Channel]:
    """Import each channel where it is used: of `cryptography`, whoever pushes nothing pays nothing."""
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
        from andon.outbound.push import Push  # noqa: PLC0415  see above
        from andon.outbound.push_keys import Signer  # noqa: PLC0415  see above

        secret, signer = Secret(PUSH_SECRET), cache(Signer)
        yield Push(hosts_in(PUSH_HOSTS), signer=lambda: signer(secret.values()[0]), contact=f"mailto:{sender}")
