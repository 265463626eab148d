"""A thing of a deployment: created, with a certificate that is attached to it and to its kind's policy."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from andon.cdk.names import FIRST_STAGE, stack_of
from andon.ingress.names import Kind, basic_ingest, rule_of, thing_of, topic_of
from andon.packages.discovery import ingesting
from andon.tools.stack.errors import ToolFailed
from andon.tools.thing.certificate import SIGNERS, broker_of, end, keep, require_policy, signed
from andon.tools.views.deployed import Deployed


class Registered(NamedTuple):
    """A registered thing, with all that it needs to connect and to publish; `folder` has its files.

    signers: the certificates of who signed the broker's; None: any system knows them.
    """

    thing: str
    host: str
    port: int
    topic: str
    folder: Path
    signers: Path | None


def root_of(stack: Deployed) -> str:
    """Return the name of a deployment, with which its things' names begin."""
    return stack.name or stack_of(FIRST_STAGE)


def kinds() -> dict[str, Kind]:
    """Return the kinds of things that services take messages of, by name."""
    return {kind.name: kind for package in ingesting() for kind in package.ingress.kinds}


def kind_named(name: str) -> Kind:
    """Return a kind of things.

    Raises:
        ToolFailed: there is no such kind.

    """
    known = kinds()
    if name not in known:
        raise ToolFailed(f"there is no kind of thing {name!r}; there is {', '.join(known) or 'none'}")
    return known[name]


def register(  # noqa: PLR0915  one step after another, each to be seen in its place
    stack: Deployed, kind_name: str, name: str, *, home: Path, again: bool = False
) -> Registered:
    """Register a thing, write its key and certificate into a folder below `home`, and return where it connects.

    again: it has a certificate already, which the new one replaces.

    Raises:
        ToolFailed: there is no such kind, or no such name on AWS IoT, or it has a certificate; nothing was changed.

    """
    root, kind = root_of(stack), kind_named(kind_name)
    thing = _named(root, name)
    iot, rule = stack.client("iot"), rule_of(root, kind)
    before = _principals(iot, thing)
    if before and not again:
        raise ToolFailed(f"{thing} has a certificate already; AGAIN=1 (`--again`) makes a new one and ends the old one")
    require_policy(iot, rule, else_="what is deployed takes nothing from such things yet")
    broker, folder = broker_of(stack), home / thing
    made = signed(iot, thing)
    keep(made, folder, broker.signers)
    iot.create_thing(thingName=thing)  # the same again changes nothing
    iot.attach_thing_principal(thingName=thing, principal=made.arn)
    iot.attach_policy(policyName=rule, target=made.arn)
    for principal in before:
        iot.detach_thing_principal(thingName=thing, principal=principal)
        end(iot, principal.rpartition("/")[2])
    topic = basic_ingest(rule, topic_of(root, kind, thing))
    return Registered(thing, broker.host, broker.port, topic, folder, folder / SIGNERS if broker.signers else None)


def _named(root: str, name: str) -> str:
    try:
        return thing_of(root, name)
    except ValueError as error:
        raise ToolFailed(str(error)) from error


def _principals(iot: Any, thing: str) -> list[str]:  # noqa: ANN401  boto3's
    with suppress(iot.exceptions.ResourceNotFoundException):
        return [*_listed(iot, thing)]
    return []


def _listed(iot: Any, thing: str) -> Iterator[str]:  # noqa: ANN401  boto3's
    for page in iot.get_paginator("list_thing_principals").paginate(thingName=thing):
        yield from page["principals"]
