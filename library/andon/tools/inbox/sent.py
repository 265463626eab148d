"""Records of the emulator and the sink -> messages, as people read them. Pure.

The emulator's answers are those of `GET /_ministack/ses/messages` and `GET /_ministack/sns/sms-messages`, the sink's
is that of `GET /_andon/sink` (`tools/stack/sink.py`).
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha512
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ec import ECDH, SECP256R1, EllipticCurvePublicKey, derive_private_key
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from andon.cdk.names import PUSH_HOST_HERE
from andon.outbound import mail, push, sms, webhook
from andon.outbound.addresses import AUTH_BYTES, POINT_BYTES, encoded
from andon.outbound.push import SALT_BYTES
from andon.tools.stack import sink

# Posts of the webhook and push channels -> subject and text. Pure; formats: `outbound/webhook.py`.


class MessageText(NamedTuple):
    """Subject and text of a message. text: with its link, if it has one, in a line of its own."""

    subject: str
    text: str


def said_in(body: bytes) -> MessageText:
    """Return subject and text of a body; of a format that no channel has, all of it is the text."""
    text = body.decode(errors="replace")
    try:
        return _said(json.loads(text)) or MessageText("", text)
    except ValueError:
        return MessageText("", text)


def _said(content: Any) -> MessageText | None:  # noqa: ANN401  JSON of any shape
    match content:
        case {"subject": str(subject), "text": str(text)}:
            return MessageText(subject, _with(text, [content.get("link")]))
        case {"payload": {"summary": str(subject), "custom_details": {"text": str(text)}}, "links": list(links)}:
            return MessageText(subject, _with(text, [link.get("href") for link in links]))
        case {"attachments": [{"content": {"body": [title, *lines]} as card}]}:
            urls = [action.get("url") for action in card.get("actions", ())]
            return MessageText(_line(title), _with("\n".join(map(_line, lines)), urls))
    return None


def _line(block: dict[str, Any]) -> str:
    """Return the text of a line of an Adaptive Card."""
    return "".join(run["text"] for run in block["inlines"])


def _with(text: str, links: Iterable[str | None]) -> str:
    return "\n".join([text, *filter(None, links)])


# A browser that is subscribed to push on this machine, and decrypts what comes (RFC 8291). Pure.
#
# Its keys follow from its address, so that whoever has the address can read what is sent there: nothing that counts
# anywhere else. Requests to `HOST` go to the sink of this machine; a stage on AWS does not allow that host.

HOST: Final = PUSH_HOST_HERE

_CURVE: Final = SECP256R1()
_HEADER_BYTES: Final = SALT_BYTES + 4 + 1 + POINT_BYTES  # salt, size of records, length of the key, key
_SCALAR_BYTES: Final = 31  # always less than the curve's order


class NotForThis(ValueError):
    """A body that was not encrypted for this browser."""


class Browser:
    """The browser with an address."""

    def __init__(self, endpoint: str) -> None:
        """Derive its keys from its address."""
        self._endpoint = endpoint
        made = sha512(endpoint.encode()).digest()
        self._key = derive_private_key(int.from_bytes(made[:_SCALAR_BYTES]) + 1, _CURVE)
        self._auth = made[-AUTH_BYTES:]
        self._point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def subscription(self) -> dict[str, Any]:
        """Its subscription, as `PushSubscription.toJSON()` gives it."""
        keys = {"p256dh": encoded(self._point), "auth": encoded(self._auth)}
        return {"endpoint": self._endpoint, "expirationTime": None, "keys": keys}

    def read(self, body: bytes) -> bytes:
        """Return the plain text of one record of `aes128gcm` that was encrypted for it.

        Raises:
            NotForThis: nothing was.

        """
        salt, theirs = body[:SALT_BYTES], body[_HEADER_BYTES - POINT_BYTES : _HEADER_BYTES]
        try:
            shared = self._key.exchange(ECDH(), EllipticCurvePublicKey.from_encoded_point(_CURVE, theirs))
            secret = _derive(shared, self._auth, b"WebPush: info\0" + self._point + theirs, 32)
            key = _derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
            nonce = _derive(secret, salt, b"Content-Encoding: nonce\0", 12)
            padded = AESGCM(key).decrypt(nonce, body[_HEADER_BYTES:], None)
        except (ValueError, InvalidTag) as error:
            raise NotForThis from error
        return padded.rstrip(b"\0")[:-1]  # behind the content stand a byte and zeros


def browser_of(name: str) -> Browser:
    """Return the browser of somebody on this machine."""
    return Browser(f"https://{HOST}/{quote(name, safe='')}")


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


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
        said = _pushed(address, body) if is_push else said_in(body)
        channel = push.NAME if is_push else webhook.NAME
        yield SentMessage(one["at"], channel, str(one["id"]), address, said.subject, said.text)


def _pushed(address: str, body: bytes) -> MessageText:
    if urlsplit(address).netloc != HOST:
        return MessageText("", ELSEWHERE)
    try:
        return said_in(Browser(address).read(body))
    except NotForThis:
        return MessageText("", BROKEN)


# Reads all that was sent from the running system of this machine.

_MAILS: Final = "/_ministack/ses/messages"
TEXTS: Final = "/_ministack/sns/sms-messages"
WITHIN_S: Final = 10


def read(endpoint: str) -> list[SentMessage]:
    """Return the messages that the emulator at an endpoint keeps, oldest first: all mails and SMS, the newest posts.

    Raises:
        OSError: it does not answer.

    """
    mails, texts, posts = (_get(f"{endpoint.rstrip('/')}{path}") for path in (_MAILS, TEXTS, sink.PATH))
    return sorted([*mails_in(mails), *texts_in(texts), *posts_in(posts)])


def _get(url: str) -> dict[str, Any]:
    with urlopen(url, timeout=WITHIN_S) as answer:  # noqa: S310  on this machine
        content: dict[str, Any] = json.load(answer)
    return content
