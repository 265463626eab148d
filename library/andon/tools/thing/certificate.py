"""A certificate for a key that is made here, signed by AWS; the files of its owner, and the broker that takes it."""

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from andon.tools.stack import broker, private_file
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed

# A key that never leaves this machine, and the request for a certificate of it.


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


CERTIFICATE, KEY, SIGNERS = "certificate.pem", "key.pem", "signers.pem"
_MQTT_PORT: Final = 8883  # https://docs.aws.amazon.com/iot/latest/developerguide/protocols.html
OWNER_ONLY: Final = 0o700
TIMEOUT_S: Final = 30


class BrokerAddress(NamedTuple):
    """Where things connect; signers: the certificates of who signed the broker's; None: any system knows them."""

    host: str
    port: int
    signers: str | None


class SignedCertificate(NamedTuple):
    """A certificate that counts, and its key, both in PEM."""

    arn: str
    certificate: str
    key: str

    @property
    def id(self) -> str:
        """The certificate's id."""
        return self.arn.rpartition("/")[2]


def signed(iot: Any, name: str) -> SignedCertificate:  # noqa: ANN401  boto3's
    """Make a key, and have AWS sign a certificate for it; without a policy it allows nothing."""
    requested = request(name)
    made = iot.create_certificate_from_csr(certificateSigningRequest=requested.request, setAsActive=True)
    return SignedCertificate(made["certificateArn"], made["certificatePem"], requested.key)


def keep(made: SignedCertificate, folder: Path, signers: str | None) -> None:
    """Write a certificate, its key and who signed the broker's into a folder, for their owner alone."""
    folder.mkdir(parents=True, exist_ok=True, mode=OWNER_ONLY)
    private_file.write(folder / KEY, made.key)
    private_file.write(folder / CERTIFICATE, made.certificate)
    if signers:
        private_file.write(folder / SIGNERS, signers)


def named_from(path: Path, seen_from: Path) -> str:
    """Return a path as somebody in a folder writes it."""
    return str(path.relative_to(seen_from) if path.is_relative_to(seen_from) else path)


def end(iot: Any, id_: str) -> None:  # noqa: ANN401  boto3's
    """Make a certificate inactive: the broker ends its connections, and takes no other one."""
    iot.update_certificate(certificateId=id_, newStatus="INACTIVE")


def require_policy(iot: Any, policy: str, *, else_: str) -> None:  # noqa: ANN401  boto3's
    """Check that a policy is deployed.

    Raises:
        ToolFailed: it is not.

    """
    try:
        iot.get_policy(policyName=policy)
    except iot.exceptions.ResourceNotFoundException:
        raise ToolFailed(f"there is no policy {policy}: {else_}") from None


def broker_of(stack: Deployed) -> BrokerAddress:
    """Return the broker of a stack: the account's on AWS, that of this machine without a name."""
    if stack.name:
        found = stack.client("iot").describe_endpoint(endpointType="iot:Data-ATS")
        return BrokerAddress(found["endpointAddress"], _MQTT_PORT, None)
    here = _here(stack.outputs["Endpoint"])
    return BrokerAddress(here["host"], here["port"], here["certificates"])


def _here(endpoint: str) -> Mapping[str, Any]:
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=TIMEOUT_S)
    try:
        connection.request("GET", broker.PATH)
        answer = connection.getresponse()
        if answer.status != broker.OK:
            raise ToolFailed(f"the emulator has no broker: {answer.status}; was it started before this version?")
        found: Mapping[str, Any] = json.loads(answer.read())
        return found
    finally:
        connection.close()
