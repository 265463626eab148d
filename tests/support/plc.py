"""The server of demo/plc in a process of its own, and certificates for it and the gateway."""

import datetime as dt
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from andon.project import project

DAY: Final = dt.timedelta(days=1)


class Plc:
    """A server on a port of this machine: begin it by `start`, end it by `kill`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._process: subprocess.Popen[str] | None = None

    def start(self, certificate: Path, key: Path) -> None:
        """Start it, and wait until it answers."""
        self.certificate = certificate
        options = {"--port": self.port, "--certificate": certificate, "--key": key, "--user": "line:a secret"}
        words = [str(word) for option in options.items() for word in option]
        command = [sys.executable, "-m", "demo.plc.server", *words]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        root = project().root
        self._process = subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe, stderr=null, text=True)  # noqa: S603
        self._expect("ready")

    def kill(self) -> None:
        """End it at once."""
        if process := self._process:
            process.kill()
            process.communicate()

    def turn(self, line: str) -> None:
        """Turn a value, such as `oil 81`, and wait until the server has it."""
        assert self._process
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        self._expect("ok")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Have it stand still; its port stays open."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _expect(self, word: str) -> None:
        assert self._process
        assert self._process.stdout
        said = self._process.stdout.readline().strip()
        assert said == word, said or "the server has ended"


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
