"""Settings of a broker of MQTT, from a configuration."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from andon_gateway.tables import BadConfiguration, Table

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS 1.2 or newer, by files; ca None: the authorities of the host. certificate and key: the client's, or neither.

    alpn: protocols to offer.
    """

    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    alpn: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker; tls None: nothing is encrypted. client_id None: another one each time."""

    host: str
    port: int
    tls: Tls | None = None
    user: str | None = None
    password_file: Path | None = None
    client_id: str | None = None


def broker_of(table: Table, folder: Path) -> Broker:
    """Return the broker of a source; paths in it are below a folder.

    Raises:
        BadConfiguration: it cannot be used.

    """
    url = table.take("url", str)
    ca, certificate, key, user, password, client_id = (
        table.take(name, str, None) for name in ("ca", "certificate", "key", "user", "password_file", "client_id")
    )
    scheme, host, port = _parts(url, table.place)
    if scheme == "mqtt" and (ca or certificate or key or user):
        raise BadConfiguration(f"{table.place}.url: mqtts://, for ca, certificate and key, and for a password")
    if bool(certificate) != bool(key) or bool(user) != bool(password):
        raise BadConfiguration(f"{table.place}: a certificate has a key, and a user has a password_file")
    ca_file, certificate_file, key_file, password_file = (
        folder / one if one else None for one in (ca, certificate, key, password)
    )
    tls = Tls(ca_file, certificate_file, key_file) if scheme == "mqtts" else None
    return Broker(host, port, tls, user, password_file, client_id)


def _parts(url: str, place: str) -> tuple[str, str, int]:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadConfiguration(f"{place}.url: {error}") from error
    if parts.scheme not in PORTS or not parts.hostname or "@" in parts.netloc or parts.path.strip("/") or parts.query:
        raise BadConfiguration(f"{place}.url: should be such as mqtts://10.0.3.20:8883, without a user")
    return parts.scheme, parts.hostname, port or PORTS[parts.scheme]
