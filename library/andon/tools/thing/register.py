"""A thing of a deployment: created, with a certificate that is attached to it and to its kind's policy."""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from andon.cdk.names import FIRST_STAGE, stack_of
from andon.ingress.names import Kind, basic_ingest, rule_of, thing_of, topic_of
from andon.packages.discovery import ingesting
from andon.tools.stack import broker, private_file
from andon.tools.stack.errors import ToolFailed
from andon.tools.thing import key
from andon.tools.views.deployed import Deployed

CERTIFICATE, KEY, SIGNERS = "certificate.pem", "key.pem", "signers.pem"
MQTT_PORT: Final = 8883  # https://docs.aws.amazon.com/iot/latest/developerguide/protocols.html
OWNER_ONLY: Final = 0o700
TIMEOUT_S: Final = 30


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


def kinds() -> dict[str, Kind]:
    """Return the kinds of things that services take messages of, by name."""
    return {kind.name: kind for package in ingesting() for kind in package.ingress.kinds}


def register(  # noqa: PLR0915  one step after another, each to be seen in its place
    stack: Deployed, kind_name: str, name: str, *, home: Path, again: bool = False
) -> Registered:
    """Register a thing, write its key and certificate into a folder below `home`, and return where it connects.

    again: it has a certificate already, which the new one replaces.

    Raises:
        ToolFailed: there is no such kind, or no such name on AWS IoT, or it has a certificate; nothing was changed.

    """
    root = stack.name or stack_of(FIRST_STAGE)
    kind, thing = _named(root, kind_name, name)
    iot, rule = stack.client("iot"), rule_of(root, kind)
    before = _principals(iot, thing)
    if before and not again:
        raise ToolFailed(f"{thing} has a certificate already; AGAIN=1 (`--again`) makes a new one and ends the old one")
    _require_policy(iot, rule)
    host, port, signers = _broker(stack)
    folder = home / thing
    folder.mkdir(parents=True, exist_ok=True, mode=OWNER_ONLY)
    requested = key.request(thing)
    private_file.write(folder / KEY, requested.key)
    made = iot.create_certificate_from_csr(certificateSigningRequest=requested.request, setAsActive=True)
    private_file.write(folder / CERTIFICATE, made["certificatePem"])
    if signers:
        private_file.write(folder / SIGNERS, signers)
    iot.create_thing(thingName=thing)  # the same again changes nothing
    iot.attach_thing_principal(thingName=thing, principal=made["certificateArn"])
    iot.attach_policy(policyName=rule, target=made["certificateArn"])
    for principal in before:
        _end(iot, thing, principal)
    topic = basic_ingest(rule, topic_of(root, kind, thing))
    return Registered(thing, host, port, topic, folder, folder / SIGNERS if signers else None)


def _named(root: str, kind_name: str, name: str) -> tuple[Kind, str]:
    known = kinds()
    if kind_name not in known:
        raise ToolFailed(f"there is no kind of thing {kind_name!r}; there is {', '.join(known) or 'none'}")
    try:
        return known[kind_name], thing_of(root, name)
    except ValueError as error:
        raise ToolFailed(str(error)) from error


def _principals(iot: Any, thing: str) -> list[str]:  # noqa: ANN401  boto3's
    with suppress(iot.exceptions.ResourceNotFoundException):
        return [*_listed(iot, thing)]
    return []


def _listed(iot: Any, thing: str) -> Iterator[str]:  # noqa: ANN401  boto3's
    for page in iot.get_paginator("list_thing_principals").paginate(thingName=thing):
        yield from page["principals"]


def _require_policy(iot: Any, rule: str) -> None:  # noqa: ANN401  boto3's
    try:
        iot.get_policy(policyName=rule)
    except iot.exceptions.ResourceNotFoundException:
        raise ToolFailed(f"there is no policy {rule}: what is deployed takes nothing from such things yet") from None


def _broker(stack: Deployed) -> tuple[str, int, str | None]:
    """Return the address of the broker, and the certificates of who signed its own where no system knows them."""
    if stack.name:
        found = stack.client("iot").describe_endpoint(endpointType="iot:Data-ATS")
        return found["endpointAddress"], MQTT_PORT, None
    here = _here(stack.outputs["Endpoint"])
    return here["host"], here["port"], here["certificates"]


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


def _end(iot: Any, thing: str, principal: str) -> None:  # noqa: ANN401  boto3's
    """Make a certificate inactive: the broker ends its connection, and takes no other one."""
    iot.detach_thing_principal(thingName=thing, principal=principal)
    iot.update_certificate(certificateId=principal.rpartition("/")[2], newStatus="INACTIVE")
