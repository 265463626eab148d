"""Signed links: the holder may do one thing, until it expires, without signing in.

A token says who, about what and until when, and for which purpose it was signed: in no other one it counts. Single use
is not its business: what it leads to is put once, and whoever comes second reads who was first.

The token stands behind the `#` of an address, where no server, log or referrer sees it.
"""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final, NamedTuple

import orjson

from andon.outbound.addresses import decoded, encoded
from andon.runtime.errors import Gone

VERSION: Final = b"\x01"
MOST_CHARACTERS: Final = 2_048
FEWEST_BYTES_OF_A_KEY: Final = 32

# Half of SHA-256, which is as safe and shorter in an SMS: https://www.rfc-editor.org/rfc/rfc2104#section-5
_MAC_BYTES: Final = 16
_EXPIRY_BYTES: Final = 5  # of seconds

# The same for all reasons, so that nobody learns from a guess.
EXPIRED: Final = "This link does not count any more, or never did. Ask for a new one, or sign in."


class Link(NamedTuple):
    """Content of a link. expires: epoch seconds."""

    person: str
    references: tuple[str, ...]
    expires: int


def sign(link: Link, *, purpose: str, key: bytes) -> str:
    """Return the token of a link.

    Raises:
        ValueError: it would be longer than `MOST_CHARACTERS`, or the key is shorter than `FEWEST_BYTES_OF_A_KEY`.

    """
    token = _token(link, purpose, key)
    if len(token) > MOST_CHARACTERS:
        raise ValueError(f"a link has at most {MOST_CHARACTERS} characters")
    return token


def sign_what_fits(link: Link, *, purpose: str, key: bytes, longest: int = MOST_CHARACTERS) -> str | None:
    """Return the token of a link to as many of its references, from the first, as fit; None if not even one does.

    longest: characters of a token.

    Raises:
        ValueError: the key is shorter than `FEWEST_BYTES_OF_A_KEY`.

    """
    for number in range(len(link.references), 0, -1):
        token = _token(link._replace(references=link.references[:number]), purpose, key)
        if len(token) <= min(longest, MOST_CHARACTERS):
            return token
    return None


def verify(token: str, *, purpose: str, keys: Sequence[bytes], now_ms: int) -> Link:
    """Return the content of a token that one of the keys signed for this purpose, and that has not expired.

    Raises:
        Gone: there is no such key, or it has expired.

    """
    signed = _decoded(token)
    mac, body = signed[:_MAC_BYTES], signed[_MAC_BYTES:]
    made = [hmac.compare_digest(mac, _mac(key, purpose, body)) for key in keys if len(key) >= FEWEST_BYTES_OF_A_KEY]
    if not any(made) or not body.startswith(VERSION):
        raise Gone(EXPIRED)
    link = _link_in(body)
    if link.expires * 1000 <= now_ms:
        raise Gone(EXPIRED)
    return link


def _token(link: Link, purpose: str, key: bytes) -> str:
    if len(key) < FEWEST_BYTES_OF_A_KEY:
        raise ValueError(f"a key has at least {FEWEST_BYTES_OF_A_KEY} bytes")
    body = VERSION + link.expires.to_bytes(_EXPIRY_BYTES) + orjson.dumps([link.person, *link.references])
    return encoded(_mac(key, purpose, body) + body)


def _link_in(body: bytes) -> Link:
    """Return the content of a body, which is well formed because we signed it."""
    expires, said = body[len(VERSION) : len(VERSION) + _EXPIRY_BYTES], body[len(VERSION) + _EXPIRY_BYTES :]
    person, *references = orjson.loads(said)
    return Link(person, tuple(references), int.from_bytes(expires))


def _mac(key: bytes, purpose: str, body: bytes) -> bytes:
    name = purpose.encode()  # its length is signed, too: no end of a purpose is the beginning of a body
    return hmac.new(key, len(name).to_bytes(2) + name + body, hashlib.sha256).digest()[:_MAC_BYTES]


def _decoded(token: str) -> bytes:
    """Return the bytes of a token, empty of any other text."""
    try:
        return decoded(token) if len(token) <= MOST_CHARACTERS else b""
    except ValueError:
        return b""
