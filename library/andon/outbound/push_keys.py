"""Web push: a message encrypted for a browser (RFC 8291), and who we are, signed (VAPID, RFC 8292).

The only place that imports `cryptography`, so that it costs the sender alone.
"""

from hashlib import sha512
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

from andon.outbound.base64url import encoded

# The whole message is one record of at most 4,096 bytes, as every service takes it.
# https://www.rfc-editor.org/rfc/rfc8291#section-4
RECORD_BYTES: Final = 4_096
MOST_BYTES: Final = 3_993
SALT_BYTES: Final = 16

_CURVE: Final = SECP256R1()
_LAST_RECORD: Final = b"\x02"
_SCALAR_BYTES: Final = 32

FEWEST_CHARACTERS: Final = 32
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
    """Signs for a push service who we are; browsers get the public key when they subscribe."""

    def __init__(self, secret: str) -> None:
        """Derive the key from a secret text of at least 32 characters, as Secrets Manager makes one.

        Raises:
            ValueError: it is shorter.

        """
        if len(secret) < FEWEST_CHARACTERS:
            raise ValueError(f"a secret has at least {FEWEST_CHARACTERS} characters")
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
