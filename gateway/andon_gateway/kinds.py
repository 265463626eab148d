"""Sources as a configuration says them, a class for each kind."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from andon_gateway.brokers import Broker, broker_of
from andon_gateway.conditions import Malformed
from andon_gateway.nodes import NodeName
from andon_gateway.sparkplug import origin_of_tag
from andon_gateway.tables import BadConfiguration, Table
from andon_gateway.topics import Tag, path_of

UNSECURED: Final = "None"
ENCRYPTED: Final = ", SignAndEncrypt"
POLICIES: Final = ("Basic256Sha256", "Aes128_Sha256_RsaOaep", "Aes256_Sha256_RsaPss")
"""Those of https://profiles.opcfoundation.org/profilefolder/474 that asyncua has and nobody has broken."""

PUBLISH_MS: Final = 250
SHORTEST_PUBLISH_MS: Final = 10
LONGEST_PUBLISH_MS: Final = 60_000

TIMES: Final = ("source", "received")


@dataclass(frozen=True, slots=True)
class LinesSource:
    """A command that prints lines; quiet_ms: one that says nothing for so long is ended."""

    name: str
    run: tuple[str, ...]
    quiet_ms: int


@dataclass(frozen=True, slots=True)
class Security:
    """An encrypted channel, by files; trust: certificates, of which the server has one."""

    policy: str
    trust: tuple[Path, ...]
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Password:
    """A user of a server, and the file of the password."""

    user: str
    file: Path


@dataclass(frozen=True, slots=True)
class UserCertificate:
    """A user of a server by files."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class OpcuaSource:
    """An OPC UA server. security None: nothing is encrypted. user None: anonymous. has_times: the source's count."""

    name: str
    url: str
    security: Security | None
    user: Password | UserCertificate | None
    publish_ms: int
    has_times: bool


@dataclass(frozen=True, slots=True)
class MqttSource:
    """Topics of a broker, in JSON. time: where messages say since when. quiet_ms: after so long nothing is known."""

    name: str
    broker: Broker
    time: tuple[str, ...] | None
    quiet_ms: int | None


@dataclass(frozen=True, slots=True)
class SparkplugSource:
    """Edge nodes of Sparkplug B behind a broker. has_times: the source's count."""

    name: str
    broker: Broker
    has_times: bool


AnySource = LinesSource | OpcuaSource | MqttSource | SparkplugSource


def source_of(table: Table, folder: Path) -> AnySource:
    """Return the source of a table; paths in it are below a folder.

    Raises:
        BadConfiguration: it cannot be used.

    """
    if (kind := table.take("kind", str)) not in KINDS:
        raise BadConfiguration(f"{table.place}.kind: nobody knows {kind}; there is: {', '.join(KINDS)}")
    source = KINDS[kind](table, folder)
    table.end()
    return source


def require_tag(source: AnySource, tag: str) -> None:
    """Return if a source can have a tag.

    Raises:
        Malformed: it cannot.

    """
    match source:
        case OpcuaSource():
            NodeName.parse(tag)
        case MqttSource():
            Tag.parse(tag)
        case SparkplugSource() if origin_of_tag(tag) is None:
            raise Malformed(f"{tag!r} should be GROUP/NODE#METRIC or GROUP/NODE/DEVICE#METRIC")


def _lines(table: Table, folder: Path) -> LinesSource:  # noqa: ARG001  what it runs is no path of ours
    name, run = table.take("name", str), table.texts("run")
    if not run:
        raise BadConfiguration(f"{table.place}.run: should be a command and its arguments")
    return LinesSource(name, run, table.duration_ms("quiet", 60_000) or 60_000)


def _opcua(table: Table, folder: Path) -> OpcuaSource:
    name, url = table.take("name", str), table.take("url", str)
    if not url.startswith("opc.tcp://") or "@" in url:
        raise BadConfiguration(f"{table.place}.url: should be such as opc.tcp://10.0.3.10:4840, without a user")
    security = _security(table, folder)
    user = _user(table, folder)
    if user and not security:
        raise BadConfiguration(f"{table.place}.user: not with security = {UNSECURED!r}, which anybody can read")
    publish_ms = table.duration_ms("publish", PUBLISH_MS) or 0
    if not SHORTEST_PUBLISH_MS <= publish_ms <= LONGEST_PUBLISH_MS:
        raise BadConfiguration(f"{table.place}.publish: should be 10ms to 60s")
    return OpcuaSource(name, url, security, user, publish_ms, has_times=_has_times(table))


def _has_times(table: Table) -> bool:
    if (time := table.take("time", str, "source")) not in TIMES:
        raise BadConfiguration(f"{table.place}.time: should be one of {', '.join(TIMES)}")
    return bool(time == "source")


def _mqtt(table: Table, folder: Path) -> MqttSource:
    pointer = table.take("time", str, None)
    try:
        time = None if pointer is None else path_of(pointer)
    except Malformed as error:
        raise BadConfiguration(f"{table.place}.time: {error}") from error
    return MqttSource(table.take("name", str), broker_of(table, folder), time, table.duration_ms("quiet"))


def _sparkplug(table: Table, folder: Path) -> SparkplugSource:
    return SparkplugSource(table.take("name", str), broker_of(table, folder), has_times=_has_times(table))


def _security(table: Table, folder: Path) -> Security | None:
    said = table.take("security", str)
    trust = tuple(folder / one for one in table.texts("trust"))
    certificate, key = table.take("certificate", str, None), table.take("key", str, None)
    if said == UNSECURED:
        if trust or certificate or key:
            raise BadConfiguration(f"{table.place}.security: {UNSECURED!r} has no use for trust, certificate and key")
        return None
    policy = said.removesuffix(ENCRYPTED)
    if policy == said or policy not in POLICIES:
        allowed = ", ".join(repr(one + ENCRYPTED) for one in POLICIES)
        raise BadConfiguration(f"{table.place}.security: should be one of {allowed}, or {UNSECURED!r}")
    if not (trust and certificate and key):
        raise BadConfiguration(f"{table.place}: {said!r} needs trust, a certificate and its key")
    return Security(policy, trust, folder / certificate, folder / key)


def _user(table: Table, folder: Path) -> Password | UserCertificate | None:
    user, file, certificate, key = (
        table.take(name, str, None) for name in ("user", "password_file", "user_certificate", "user_key")
    )
    match user, file, certificate, key:
        case None, None, None, None:
            return None
        case str(), str(), None, None:
            return Password(user, folder / file)
        case None, None, str(), str():
            return UserCertificate(folder / certificate, folder / key)
    raise BadConfiguration(
        f"{table.place}: a user has a password_file, or a user_certificate and its user_key; anonymous has none of them"
    )


KINDS: Final[Mapping[str, Callable[[Table, Path], AnySource]]] = {
    "lines": _lines,
    "opcua": _opcua,
    "mqtt": _mqtt,
    "sparkplug": _sparkplug,
}
