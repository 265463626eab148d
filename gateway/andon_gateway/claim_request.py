"""A key on the curve P-256, and the request for its certificate."""

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from andon_gateway.provisioning import Requested


def requested(thing: str) -> Requested:
    """Return a new key, and a request in the name of a thing.

    https://docs.aws.amazon.com/iot/latest/apireference/API_CreateCertificateFromCsr.html
    """
    key = ec.generate_private_key(ec.SECP256R1())
    # A common name has 64 characters at most, a thing's 128. AWS knows the certificate by what it is attached to.
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, thing[:64])])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Requested(private.decode(), request.public_bytes(Encoding.PEM).decode())
