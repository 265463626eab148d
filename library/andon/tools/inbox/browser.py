"""A browser that is subscribed to push on this machine, and decrypts what comes (RFC 8291). Pure.

Its keys follow from its address, so that whoever has the address can read what is sent there: nothing that counts
anywhere else. Requests to `HOST` go to the sink of this machine; a stage on AWS does not allow that host.
"""

from hashlib import sha512
from typing import Any, Final
from urllib.parse import quote

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ec import ECDH, SECP256R1, EllipticCurvePublicKey, derive_private_key
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from andon.cdk.names import PUSH_HOST_HERE
from andon.outbound.base64url import encoded
from andon.outbound.push_keys import SALT_BYTES
from andon.outbound.subscription import AUTH_BYTES, POINT_BYTES

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
