"""The press of demo/plc, which may end and come back, and certificates for it and the gateway."""

import datetime as dt
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from demo.plc.process import DONE, by_asyncua

DAY: Final = dt.timedelta(days=1)


class Press:
    """asyncua's server on a port of this machine; its one user is `line`, whose password is `a secret`."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self._folder = folder
        self.start(*certify(folder, "server", "urn:andon:plc:server"))

    def start(self, certificate: Path, key: Path) -> None:
        """Start it, and wait until it answers."""
        self.certificate = certificate
        options = ("--certificate", certificate, "--key", key, "--user", "line:a secret")
        self._plc = by_asyncua(self.port, self._folder, *options)

    def turn(self, line: str) -> None:
        """Turn a value, such as `oil 81`, and wait until the server has it."""
        assert self._plc.turn(line) == DONE

    def kill(self) -> None:
        """End it at once."""
        self._plc.kill()

    def frozen(self) -> AbstractContextManager[None]:
        """Have it stand still; its port stays open."""
        return self._plc.frozen()


def certify(folder: Path, name: str, uri: str) -> tuple[Path, Path]:
    """Write the certificate of an application, DER, and its key, PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    names = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(uri), x509.DNSName("localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.der", folder / f"{name}.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.DER))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files
