"""Records of the emulator and the sink -> messages, as people read them. Pure.

The emulator's answers are those of `GET /_ministack/ses/messages` and `GET /_ministack/sns/sms-messages`, the sink's
is that of `GET /_andon/sink` (`tools/stack/sink.py`).
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from andon.outbound import mail, push, sms, webhook
from andon.tools.inbox import hooks
from andon.tools.inbox.browser import HOST, Browser, NotForThis

ELSEWHERE: Final = "(encrypted for a browser, which alone can read it)"
BROKEN: Final = "(encrypted, but not for the browser that this address is of)"


class SentMessage(NamedTuple):
    """A message that was sent. to: the address. text: with its link, if it has one, in a line of its own."""

    at_ms: int
    channel: str
    id: str
    to: str
    subject: str
    text: str


def mails_in(answer: Mapping[str, Any]) -> Iterator[SentMessage]:
    """Yield the mails of all accounts."""
    for account in answer["messages"].values():
        for one in account:
            at_ms, to = round(one["Timestamp"] * 1000), ", ".join(one["To"])
            yield SentMessage(at_ms, mail.NAME, one["MessageId"], to, one["Subject"], one["BodyText"])


def texts_in(answer: Mapping[str, Any]) -> Iterator[SentMessage]:
    """Yield the SMS; the first line stands for the subject, which an SMS has none of."""
    for number, texts in answer["sms_messages"].items():
        for one in texts:
            subject, _, text = one["Message"].partition("\n")
            yield SentMessage(round(one["Timestamp"] * 1000), sms.NAME, one["MessageId"], number, subject, text)


def posts_in(answer: Mapping[str, Any]) -> Iterator[SentMessage]:
    """Yield the webhooks and the pushes."""
    for one in answer["messages"]:
        address, body = one["address"], base64.b64decode(one["body"])
        is_push = one["headers"].get("content-encoding") == "aes128gcm"
        said = _pushed(address, body) if is_push else hooks.said_in(body)
        channel = push.NAME if is_push else webhook.NAME
        yield SentMessage(one["at"], channel, str(one["id"]), address, said.subject, said.text)


def _pushed(address: str, body: bytes) -> hooks.MessageText:
    if urlsplit(address).netloc != HOST:
        return hooks.MessageText("", ELSEWHERE)
    try:
        return hooks.said_in(Browser(address).read(body))
    except NotForThis:
        return hooks.MessageText("", BROKEN)
