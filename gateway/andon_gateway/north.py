"""Ways to the API: the configuration of one, and its protocol for the gateway."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from andon_gateway.brokers import Broker, Tls
from andon_gateway.claim import KIND, Claim, claim_of, template_of
from andon_gateway.store import Stored
from andon_gateway.tables import BadConfiguration, Table
from andon_gateway.verdict import Verdict

# https://docs.aws.amazon.com/iot/latest/apireference/API_CreateThing.html
THING: Final = re.compile(r"[A-Za-z0-9_-]+:[A-Za-z0-9:_-]+")
MAX_THING: Final = 128
RULE: Final = re.compile(r"[A-Za-z0-9_]+")

# https://docs.aws.amazon.com/iot/latest/developerguide/protocols.html
PORT: Final = 8883
PORT_OF_BROWSERS: Final = 443
BY_BROWSERS_PORT: Final = "x-amzn-mqtt-ca"


class North(Protocol):
    """A way to the API, used by one thread."""

    def send(self, batch: Sequence[Stored]) -> tuple[int, Verdict]:
        """Send as many of the first reports of a batch as fit; return their number and their verdict."""

    def keep(self) -> str | None:
        """Do the due upkeep while nothing waits; return the trouble, if any."""

    def ask_time(self) -> None:
        """Have the clock hear the API's, if there is a way."""

    def close(self) -> None:
        """Close the connection."""


@dataclass(frozen=True, slots=True)
class ByHttps:
    """`POST /states`; exactly one of token_file and token_command."""

    url: str
    token_file: Path | None
    token_command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ByMqtt:
    """A topic of AWS IoT; claim: by which the certificate is asked for, None: it is there."""

    broker: Broker
    topic: str
    claim: Claim | None = None


def north_of(andon: Table, folder: Path, *, member: str = "") -> ByHttps | ByMqtt:
    """Return the way to the API of a table; paths in it are below a folder. member: see `Claim`.

    Raises:
        BadConfiguration: it cannot be used.

    """
    match andon.take("via", str, "https"):
        case "https":
            return _https(andon, folder)
        case "mqtt":
            return _mqtt(andon, folder, member)
        case other:
            raise BadConfiguration(f"{andon.place}.via: should be https or mqtt, not {other}")


def _https(andon: Table, folder: Path) -> ByHttps:
    file, command = andon.take("token_file", str, None), andon.texts("token_command")
    if bool(file) == bool(command):
        raise BadConfiguration(f"{andon.place}: needs a token_file or a token_command, not both")
    return ByHttps(andon.take("url", str), folder / file if file else None, command)


def _mqtt(andon: Table, folder: Path, member: str) -> ByMqtt:
    thing = andon.take("thing", str)
    if not THING.fullmatch(thing) or len(thing) > MAX_THING:
        raise BadConfiguration(f"{andon.place}.thing: should be the deployment and the factory, such as Andon:gdl-1")
    deployment = thing.partition(":")[0]
    rule = andon.take("rule", str, template_of(deployment))
    if not RULE.fullmatch(rule):
        raise BadConfiguration(f"{andon.place}.rule: should be the name of a topic rule, such as Andon_factory")
    port = andon.take("port", int, PORT)
    ca = andon.take("ca", str, None)
    tls = Tls(
        ca=folder / ca if ca else None,
        certificate=folder / andon.take("certificate", str),
        key=folder / andon.take("key", str),
        alpn=(BY_BROWSERS_PORT,) if port == PORT_OF_BROWSERS else (),
    )
    said, claim = andon.take("claim", dict, None), None
    if said is not None:
        claim = claim_of(Table(said, f"{andon.place}.claim"), folder, tls=tls, thing=thing, member=member)
    topic = f"$aws/rules/{rule}/{deployment}/{KIND}/{thing}/states"
    return ByMqtt(Broker(andon.take("endpoint", str), port, tls, client_id=thing), topic, claim)
