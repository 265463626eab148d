"""Clients of asyncua with the files of a configuration, read at each connection: they may be exchanged meanwhile."""

from hashlib import sha256
from pathlib import Path
from typing import Final

from asyncua import Client, ua
from asyncua.crypto import security_policies
from asyncua.crypto.uacrypto import CertProperties
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
    load_pem_private_key,
)

from andon_gateway.kinds import OpcuaSource, Password, Security, UserCertificate

TIMEOUT_S: Final = 4.0
_NEVER_S: Final = 86_400.0  # asyncua would end a connection after a second without an answer

# A gateway that was killed leaves a session behind, and a small PLC has ten of them.
SESSION_MS: Final = 30_000

PEM: Final = b"-----BEGIN"
URN: Final = "urn:andon-gateway"


class Unusable(Exception):
    """There can be no connection as it is configured; it says why."""


async def client_of(settings: OpcuaSource) -> Client:
    """Return a client that has connected nowhere yet.

    Raises:
        Unusable: a file cannot be read, or the server has another certificate.

    """
    client = _plain(settings)
    if settings.security:
        await _secure(client, settings, settings.security)
    match settings.user:
        case Password(user, file):
            client.set_user(user)
            client.set_password(_bytes("password_file", file).decode().rstrip("\r\n"))
        case UserCertificate(certificate, key):
            client.user_certificate = x509.load_der_x509_certificate(_certificate("user_certificate", certificate))
            client.user_private_key = _key("user_key", key)
    return client


def _plain(settings: OpcuaSource) -> Client:
    client = Client(settings.url, timeout=TIMEOUT_S, watchdog_intervall=_NEVER_S)
    client.application_uri = URN
    client.session_timeout = SESSION_MS
    return client


async def _secure(client: Client, settings: OpcuaSource, security: Security) -> None:
    policy = getattr(security_policies, f"SecurityPolicy{security.policy.replace('_', '')}")
    endpoints = await _plain(settings).connect_and_get_server_endpoints()
    found = [
        one.ServerCertificate
        for one in endpoints
        if one.SecurityPolicyUri == policy.URI and one.SecurityMode == ua.MessageSecurityMode.SignAndEncrypt
    ]
    if not found:
        offered = {
            f"{one.SecurityPolicyUri.rpartition('#')[2]}, {one.SecurityMode.name.rstrip('_')}" for one in endpoints
        }
        raise Unusable(f"the server offers no such security, but {'; '.join(sorted(offered))}")
    trusted = [_certificate("trust", file) for file in security.trust]
    # A server may send the chain behind its certificate.
    server = next((one for one in trusted if found[0].startswith(one)), None)
    if server is None:
        raise Unusable(f"the server's certificate, SHA-256 {sha256(found[0]).hexdigest()}, is none that trust names")
    own, key = _certificate("certificate", security.certificate), _key("key", security.key)
    client.application_uri = _uri(own) or URN
    await client.set_security(
        policy,
        certificate=CertProperties(own, "der"),
        private_key=CertProperties(key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()), "der"),
        server_certificate=CertProperties(server, "der"),
    )


def _bytes(member: str, file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise Unusable(f"{member}: {file} cannot be read: {error.strerror}") from error


def _certificate(member: str, file: Path) -> bytes:
    """Return a certificate of a file, PEM or DER, as DER."""
    content = _bytes(member, file)
    try:
        load = x509.load_pem_x509_certificate if content.startswith(PEM) else x509.load_der_x509_certificate
        return load(content).public_bytes(Encoding.DER)
    except ValueError as error:
        raise Unusable(f"{member}: {file} is no certificate") from error


def _key(member: str, file: Path) -> PrivateKeyTypes:
    """Return a key of a file, PEM or DER, under any name."""
    content = _bytes(member, file)
    try:
        return (load_pem_private_key if content.startswith(PEM) else load_der_private_key)(content, None)
    except (ValueError, TypeError) as error:
        raise Unusable(f"{member}: {file} is no key without a password") from error


def _uri(certificate: bytes) -> str | None:
    """Return the URI that a certificate gives to its application: servers refuse a client that says another one."""
    try:
        names = x509.load_der_x509_certificate(certificate).extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        )
    except x509.ExtensionNotFound:
        return None
    return next(iter(names.value.get_values_for_type(x509.UniformResourceIdentifier)), None)
