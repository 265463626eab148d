"""Messages -> web push: to the service of a browser, which can read nothing of them.

https://www.rfc-editor.org/rfc/rfc8030
"""

import os
from collections.abc import Callable
from hashlib import sha256, sha512
from http import HTTPStatus
from typing import Final, NamedTuple

import orjson
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDH,
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from andon.outbound.addresses import Hosts, encoded, subscription_in
from andon.outbound.delivery import Message, NotTaken, Outcome, RefusedForGood
from andon.outbound.provider import outcome_of, post
from andon.runtime import clock

# Web push: a message encrypted for a browser (RFC 8291), and who we are, signed (VAPID, RFC 8292).
#
# The only place that imports `cryptography`, so that it costs the sender alone.

# The whole message is one record of at most 4,096 bytes, as every service takes it.
# https://www.rfc-editor.org/rfc/rfc8291#section-4
RECORD_BYTES: Final = 4_096
MOST_BYTES: Final = 3_993
SALT_BYTES: Final = 16

_CURVE: Final = SECP256R1()
_LAST_RECORD: Final = b"\x02"
_SCALAR_BYTES: Final = 32

_FEWEST_CHARACTERS: Final = 32
# https://nvlpubs.nist.gov/nistpubs/SpecialPublications/NIST.SP.800-186.pdf, P-256
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


class Ephemeral(NamedTuple):
    """Secrets of one message: a key of the curve, and a salt of `SALT_BYTES`."""

    key: EllipticCurvePrivateKey
    salt: bytes


def ephemeral(random: bytes) -> Ephemeral:
    """Return the secrets of a message; random: `SALT_BYTES` that were never used."""
    return Ephemeral(generate_private_key(_CURVE), random)


def encrypt(content: bytes, *, browser: bytes, auth: bytes, once: Ephemeral) -> bytes:
    """Return the body of a request, which the browser alone can read that has these keys.

    browser: its public key, an uncompressed point. auth: its secret of 16 bytes.

    Raises:
        ValueError: the key is no point of the curve, or the content is longer than `MOST_BYTES`.

    """
    if len(content) > MOST_BYTES:
        raise ValueError(f"a message has at most {MOST_BYTES} bytes")
    shared = once.key.exchange(ECDH(), EllipticCurvePublicKey.from_encoded_point(_CURVE, browser))
    ours = _point(once.key)
    secret = _derive(shared, auth, b"WebPush: info\0" + browser + ours, 32)
    key = _derive(secret, once.salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(secret, once.salt, b"Content-Encoding: nonce\0", 12)
    header = once.salt + RECORD_BYTES.to_bytes(4) + len(ours).to_bytes(1) + ours
    return header + AESGCM(key).encrypt(nonce, content + _LAST_RECORD, None)


class Signer:
    """Signs as ourselves for a push service; browsers get the public key when they subscribe."""

    def __init__(self, secret: str) -> None:
        """Derive the key from a secret text of at least 32 characters, as Secrets Manager makes one.

        Raises:
            ValueError: it is shorter.

        """
        if len(secret) < _FEWEST_CHARACTERS:
            raise ValueError(f"a secret has at least {_FEWEST_CHARACTERS} characters")
        # Twice as many bits as the key has, so that no key is likelier than another one.
        # https://nvlpubs.nist.gov/nistpubs/FIPS/NIST.FIPS.186-5.pdf, A.2.1
        number = int.from_bytes(sha512(secret.encode()).digest()) % (_ORDER - 1) + 1
        self._key = derive_private_key(number, _CURVE)
        self.public_key: Final = encoded(_point(self._key))

    def authorization(self, origin: str, *, contact: str, expires: int) -> str:
        """Return the header for a push service; contact: `mailto:…`; expires: epoch seconds, within a day."""
        claims = {"aud": origin, "exp": expires, "sub": contact}
        parts = ({"typ": "JWT", "alg": "ES256"}, claims)
        signed = ".".join(encoded(orjson.dumps(part)) for part in parts)
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ECDSA(SHA256())))
        signature = encoded(r.to_bytes(_SCALAR_BYTES) + s.to_bytes(_SCALAR_BYTES))
        return f"vapid t={signed}.{signature},k={self.public_key}"


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


def _point(key: EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


NAME: Final = "push"

# A browser that was off for longer is not told any more.
KEPT_SECONDS: Final = 4 * 3600
_SIGNED_SECONDS: Final = 12 * 3600  # of 24 hours at most, as clocks differ
_TOPIC_CHARACTERS: Final = 32

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
        expires = clock.now_ms() // 1000 + _SIGNED_SECONDS
        headers = {
            "authorization": self._signer().authorization(found.target.origin, contact=self._contact, expires=expires),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(KEPT_SECONDS),
            "urgency": _URGENCY[message.urgency],
            "topic": encoded(sha256(message.about.encode()).digest())[:_TOPIC_CHARACTERS],
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
