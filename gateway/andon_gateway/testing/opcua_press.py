"""A press that speaks OPC UA, for trying a gateway without a machine. A line on standard input turns a value: `oil 81`.

`python -m andon_gateway.testing.opcua_press --port 4840`, and `--certificate FILE --key FILE` for an encrypted channel
beside the open one. It prints `ready`, and after each line (`oil bad`, too) `ok` or what was wrong with it. In a
process of its own: `by_asyncua`, and `Press`, which may end and come back.
"""

import argparse
import asyncio
import datetime as dt
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from asyncua import Node, Server, ua
from asyncua.crypto.permission_rules import User, UserRole
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HOST: Final = "127.0.0.1"
NAMESPACE: Final = "urn:andon:plc"
URI: Final = "urn:andon:plc:server"
READY: Final = "ready"
DONE: Final = "ok"

_DAY: Final = dt.timedelta(days=1)

# node-opcua refuses a client whose certificate does not say so.
_USAGE: Final = x509.KeyUsage(
    digital_signature=True,
    content_commitment=True,
    key_encipherment=True,
    data_encipherment=True,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=False,
    encipher_only=False,
    decipher_only=False,
)


class Tag(NamedTuple):
    """A value of the press, and what it begins with."""

    node: str
    first: float | bool


TAGS: Final = {
    "oil": Tag("Press1.OilTemperature", 60.0),
    "mode": Tag("Press1.Mode", 1),
    "estop": Tag("Press1.EStop", first=False),
}


class OneUser:
    """Lets in who is anonymous, and one user."""

    def __init__(self, name: str, password: str) -> None:
        self._known = name, password

    def get_user(
        self, iserver: object, username: str | None = None, password: str | None = None, certificate: object = None
    ) -> User | None:
        """Return the user with a name and a password; None: there is none."""
        del iserver, certificate
        return User(role=UserRole.User) if username is None or (username, password) == self._known else None


async def serve(port: int, certificate: Path | None, key: Path | None, user: str | None) -> None:
    """Serve until standard input ends."""
    server = Server(user_manager=OneUser(*user.split(":", 1)) if user else None)
    await server.init()
    server.set_endpoint(f"opc.tcp://{HOST}:{port}")
    await server.set_application_uri(URI)
    await _secure(server, certificate, key)
    nodes = await _nodes(server)
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with server:
        print(READY, flush=True)
        while line := (await lines.readline()).decode():
            print(await _turned(nodes, line), flush=True)


async def _secure(server: Server, certificate: Path | None, key: Path | None) -> None:
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    if certificate and key:
        policies = [ua.SecurityPolicyType.NoSecurity, ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt]
        server.set_security_policy(policies)
        await server.load_certificate(certificate)
        await server.load_private_key(key)


async def _nodes(server: Server) -> dict[str, Node]:
    """Add the nodes of the press; return them by the names of `TAGS`."""
    index = await server.register_namespace(NAMESPACE)
    press = await server.nodes.objects.add_object(index, "Press1")
    return {
        name: await press.add_variable(ua.NodeId(tag.node, index), tag.node, tag.first) for name, tag in TAGS.items()
    }


async def _turned(nodes: Mapping[str, Node], line: str) -> str:
    """Turn the value that a line names; return the answer to the line."""
    try:
        name, text = line.split()
        await nodes[name].write_value(value_of(text, TAGS[name].first))
    except (KeyError, ValueError):
        return f"turn one of {', '.join(TAGS)} by a line such as: oil 81, estop 1, oil bad"
    return DONE


def value_of(text: str, first: float | bool) -> ua.DataValue:  # noqa: FBT001  of its kind
    """Return a value of the kind of a first one.

    Raises:
        ValueError: the text is none.

    """
    kind = {bool: ua.VariantType.Boolean, int: ua.VariantType.Int64, float: ua.VariantType.Double}[type(first)]
    now = dt.datetime.now(dt.UTC)
    if text == "bad":
        status = ua.StatusCode(ua.StatusCodes.BadSensorFailure)
        return ua.DataValue(ua.Variant(first, kind), status, SourceTimestamp=now)
    value = bool(int(text)) if isinstance(first, bool) else type(first)(text)
    return ua.DataValue(ua.Variant(value, kind), SourceTimestamp=now)


class Ended(Exception):
    """The server has ended, or did not begin; its log says why."""


class Plc:
    """A server that turns its values by lines."""

    def __init__(self, command: Sequence[str], *, log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Start it, and wait until it answers.

        Raises:
            Ended: it does not.

        """
        self._log = log
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        if (said := self._line()) != READY:
            self.kill()
            raise Ended(f"the server said {said!r}")

    def turn(self, line: str) -> str:
        """Turn a value, such as `oil 81`; return DONE as soon as the server has it, or what is wrong with the line."""
        if self._process.stdin:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        return self._line()

    def end(self) -> None:
        """Have it say goodbye to its clients, and wait for its end."""
        self._process.communicate()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.communicate()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Have it stand still; its port stays open."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def _line(self) -> str:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self.kill()
            raise Ended(f"the server has ended: {self._log}")
        return line.strip()


def by_asyncua(port: int, folder: Path, *options: object) -> Plc:
    """Return a running server; a log is written into a folder. options: see `main`."""
    words = [str(option) for option in options]
    command = [sys.executable, "-P", __file__, "--port", str(port), *words]  # where this is no installed package, too
    return Plc(command, log=folder / "plc.log")


class Press:
    """asyncua's server on a free port of this machine; its one user is `line`, whose password is `a secret`."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server((HOST, 0)) as free:
            self.port: int = free.getsockname()[1]
        self._folder = folder
        self.start(*certify(folder, "server", URI))

    def start(self, certificate: Path, key: Path) -> None:
        """Start it, and wait until it answers."""
        self.certificate = certificate
        options = ("--certificate", certificate, "--key", key, "--user", "line:a secret")
        self._plc = by_asyncua(self.port, self._folder, *options)

    def turn(self, line: str) -> None:
        """Turn a value, such as `oil 81`, and wait until the server has it.

        Raises:
            ValueError: it has no such value.

        """
        if (said := self._plc.turn(line)) != DONE:
            raise ValueError(said)

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
        .not_valid_before(now - _DAY)
        .not_valid_after(now + _DAY)
        .add_extension(names, critical=False)
        .add_extension(_USAGE, critical=False)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    files = folder / f"{name}.der", folder / f"{name}.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.DER))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=4840)
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--key", type=Path)
    parser.add_argument("--user", help="NAME:PASSWORD, the only one beside anonymous; without it all")
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.port, chosen.certificate, chosen.key, chosen.user))


if __name__ == "__main__":
    main()
