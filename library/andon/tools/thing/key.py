"""A key that never leaves this machine, and the request for a certificate of it."""

from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Requested(NamedTuple):
    """A private key and the request for its certificate, both in PEM."""

    key: str
    request: str


def request(thing: str) -> Requested:
    """Return a new key on the curve P-256, and a request in the name of a thing.

    https://docs.aws.amazon.com/iot/latest/apireference/API_CreateCertificateFromCsr.html
    """
    key = ec.generate_private_key(ec.SECP256R1())
    # A common name has 64 characters at most, a thing's 128. AWS knows the certificate by what it is attached to.
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, thing[:64])])
    signed = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Requested(private.decode(), signed.public_bytes(Encoding.PEM).decode())
