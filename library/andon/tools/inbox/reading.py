"""Reads all that was sent from the running system of this machine."""

import json
from typing import Any, Final
from urllib.request import urlopen

from andon.tools.inbox.sent import SentMessage, mails_in, posts_in, texts_in
from andon.tools.stack import sink

MAILS: Final = "/_ministack/ses/messages"
TEXTS: Final = "/_ministack/sns/sms-messages"
WITHIN_S: Final = 10


def read(endpoint: str) -> list[SentMessage]:
    """Return the messages that the emulator at an endpoint keeps, oldest first: all mails and SMS, the newest posts.

    Raises:
        OSError: it does not answer.

    """
    mails, texts, posts = (_get(f"{endpoint.rstrip('/')}{path}") for path in (MAILS, TEXTS, sink.PATH))
    return sorted([*mails_in(mails), *texts_in(texts), *posts_in(posts)])


def _get(url: str) -> dict[str, Any]:
    with urlopen(url, timeout=WITHIN_S) as answer:  # noqa: S310  on this machine
        content: dict[str, Any] = json.load(answer)
    return content
