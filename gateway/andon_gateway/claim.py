"""A claim: the certificate that gateways share until each has one of its own, as a configuration says it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from andon_gateway.brokers import Tls
from andon_gateway.tables import BadConfiguration, Table

KIND: Final = "factory"


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim; client: the beginning of its client ids. name: of the thing that it asks to be, in its deployment.

    member: a machine that is registered at its factory, as far as the configuration says.
    """

    certificate: Path
    key: Path
    template: str
    client: str
    name: str
    member: str


def claim_of(table: Table, folder: Path, *, tls: Tls, thing: str, member: str) -> Claim:
    """Return the claim of a table, for a thing; paths in it are below a folder. tls: of the thing itself.

    Raises:
        BadConfiguration: it cannot be used.

    """
    if tls.certificate == tls.key:
        raise BadConfiguration(f"{table.place}: andon.certificate and andon.key should be two files, which it fills")
    deployment, _, name = thing.partition(":")
    found = Claim(
        certificate=folder / table.take("certificate", str),
        key=folder / table.take("key", str),
        template=table.take("template", str, template_of(deployment)),
        client=f"{deployment}_claim:",
        name=name,
        member=member,
    )
    table.end()
    return found


def template_of(deployment: str) -> str:
    """Return the name of the provisioning template of gateways, which is that of their topic rule."""
    return f"{deployment}_{KIND}".replace("-", "_")
