"""Messages -> web push: to the service of a browser, which can read nothing of them.

https://www.rfc-editor.org/rfc/rfc8030
"""

import os
from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from typing import Final

import orjson

from andon.outbound.base64url import encoded
from andon.outbound.channel import Message, NotTaken, Outcome, RefusedForGood
from andon.outbound.hosts import Hosts
from andon.outbound.https import post
from andon.outbound.once import outcome_of
from andon.outbound.push_keys import MOST_BYTES, SALT_BYTES, Signer, encrypt, ephemeral
from andon.outbound.subscription import subscription_in
from andon.runtime import clock

NAME: Final = "push"

# A browser that was off for longer is not told any more.
KEPT_SECONDS: Final = 4 * 3600
SIGNED_SECONDS: Final = 12 * 3600  # of 24 hours at most, as clocks differ
TOPIC_CHARACTERS: Final = 32

# The reasons of refusals: nobody is subscribed there any more, so that it can be forgotten; the address is none.
GONE: Final = "gone"
UNSIGNED: Final = "unsigned"
ADDRESS: Final = "address"

_URGENCY: Final = {"high": "high", "low": "normal"}  # what is `low` there waits for a charger


class Push:
    """The channel of web push."""

    name = NAME

    def __init__(self, hosts: Hosts, *, signer: Callable[[], Signer], contact: str) -> None:
        """Send to these services; contact: how they reach us, `mailto:…`. signer: called where something is sent."""
        self._hosts = hosts
        self._signer = signer
        self._contact = contact

    def send(self, message: Message) -> Outcome:
        """Post a message once to the service of a browser."""
        try:
            found = subscription_in(message.address, self._hosts)
            once = ephemeral(os.urandom(SALT_BYTES))
            body = encrypt(content_of(message), browser=found.browser, auth=found.auth, once=once)
        except ValueError:
            return RefusedForGood(ADDRESS)
        expires = clock.now_ms() // 1000 + SIGNED_SECONDS
        headers = {
            "authorization": self._signer().authorization(found.target.origin, contact=self._contact, expires=expires),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(KEPT_SECONDS),
            "urgency": _URGENCY[message.urgency],
            "topic": encoded(sha256(message.about.encode()).digest())[:TOPIC_CHARACTERS],
        }
        reply = post(found.target, headers, body)
        if reply.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
            return RefusedForGood(GONE)
        if reply.status == HTTPStatus.UNAUTHORIZED:  # the signature is ours; 403 is about the key that a browser knows
            return NotTaken(UNSIGNED)
        return outcome_of(reply)


def content_of(message: Message) -> bytes:
    """Return the content for a service worker; its text is cut where all of it would be too long."""
    said = {"id": message.id, "about": message.about, "urgency": message.urgency, "language": message.language}
    link = {"link": message.link} if message.link else {}
    text = message.text
    while True:
        content = orjson.dumps({**said, **link, "subject": message.subject, "text": text})
        if len(content) <= MOST_BYTES or not text:
            return content
        text = text[: len(text) // 2]
