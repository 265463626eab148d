"""`andon claim KIND`: a claim, by which many become things of a kind; alone it lists the claims that count."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from andon.ingress import fleet
from andon.ingress.names import Kind
from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed
from andon.tools.thing.certificate import (
    CERTIFICATE,
    KEY,
    SIGNERS,
    BrokerAddress,
    broker_of,
    end,
    keep,
    named_from,
    require_policy,
    signed,
)
from andon.tools.thing.register import kind_named, kinds, root_of
from andon.tools.views.deployed import Deployed, deployed

# Claims: certificates that many things share until each has one of its own. MadeClaim, listed and withdrawn.

ALL: Final = "all"
SHOWN: Final = 12
"""Digits of a certificate's id by which people name it."""

CLOSED: Final = "nothing is provisioned by claim here; provisionedByClaim of the stage in cdk.json says what is"
NAME: Final = "claim"


class ThingClaim(NamedTuple):
    """A claim that counts. created: when AWS signed it."""

    kind: str
    id: str
    created: datetime


class MadeClaim(NamedTuple):
    """What whoever has a claim needs; `folder` has its files.

    client: the beginning of its client ids. topics: those on which it asks for a certificate, and to be a thing.
    """

    kind: str
    id: str
    template: str
    client: str
    topics: tuple[str, str]
    broker: BrokerAddress
    folder: Path


def make(stack: Deployed, kind_name: str, *, home: Path, folder: Path | None = None) -> MadeClaim:
    """Make a claim to be a kind of thing, and write its key and certificate into a folder; claims before it go on.

    folder: without one it is that of the claim, below `home`.

    Raises:
        ToolFailed: there is no such kind, the stack provisions none by claim, or the folder is not empty.

    """
    root, kind = root_of(stack), kind_named(kind_name)
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ToolFailed(f"{folder} is not empty: a claim in it may still count")
    iot, policy, template = (
        stack.client("iot"),
        fleet.policy_of(root, kind),
        fleet.template_of(root, kind),
    )
    require_policy(iot, policy, else_=CLOSED)
    broker = broker_of(stack)
    made = signed(iot, NAME)
    folder = folder or home / template / made.id[:SHOWN]
    keep(made, folder, broker.signers)
    iot.attach_policy(policyName=policy, target=made.arn)  # from here on it counts
    topics = (fleet.SIGNING, fleet.topic_of(template))
    return MadeClaim(kind.name, made.id, template, fleet.client_of(root, ""), topics, broker, folder)


def claims(stack: Deployed, kind_name: str | None = None) -> list[ThingClaim]:
    """Return the claims that count, of a kind or of all, the oldest first.

    Raises:
        ToolFailed: there is no such kind.

    """
    root, iot = root_of(stack), stack.client("iot")
    found = (one for kind in _chosen(kind_name) for one in _of_kind(iot, root, kind))
    return sorted(found, key=lambda one: (one.created, one.id))


def withdraw(stack: Deployed, which: str, kind_name: str | None = None) -> list[ThingClaim]:
    """End the claims whose ids begin so, or `all`; return them. What they made goes on.

    Raises:
        ToolFailed: no claim is meant, or more than one; nothing was changed.

    """
    counting = claims(stack, kind_name)
    meant = counting if which == ALL else [one for one in counting if which and one.id.startswith(which)]
    if not meant or (which != ALL and len(meant) > 1):
        raise ToolFailed(f"{len(meant)} claims begin with {which!r}, of {len(counting)} that count")
    root, iot = root_of(stack), stack.client("iot")
    for one in meant:
        described = iot.describe_certificate(certificateId=one.id)["certificateDescription"]
        end(iot, one.id)
        policy = fleet.policy_of(root, kind_named(one.kind))
        iot.detach_policy(policyName=policy, target=described["certificateArn"])  # from here on it is not listed
    return meant


def _chosen(kind_name: str | None) -> list[Kind]:
    return [kind_named(kind_name)] if kind_name else [*kinds().values()]


def _of_kind(iot: Any, root: str, kind: Kind) -> Iterator[ThingClaim]:  # noqa: ANN401  boto3's
    try:
        pages = [*iot.get_paginator("list_targets_for_policy").paginate(policyName=fleet.policy_of(root, kind))]
    except iot.exceptions.ResourceNotFoundException:
        return
    for target in (target for page in pages for target in page["targets"]):
        id_ = target.rpartition("/")[2]
        described = iot.describe_certificate(certificateId=id_)["certificateDescription"]
        yield ThingClaim(kind.name, id_, described["creationDate"])


HOME: Final = project().local / "claims"
NONE: Final = "no claim counts"


def text_of(made: MadeClaim, *, seen_from: Path) -> str:
    """Return what whoever puts a claim onto things needs to know."""
    certificate, key, signers = (named_from(made.folder / name, seen_from) for name in (CERTIFICATE, KEY, SIGNERS))
    lines = {
        "claim": made.id,
        "template": made.template,
        "client ids": f"{made.client}…",
        "endpoint": f"{made.broker.host}:{made.broker.port}",
        "topics": " ".join(made.topics),
        "certificate": certificate,
        "key": key,
        "trust": signers if made.broker.signers else "Amazon Root CA 1, which a system knows",
    }
    ends = f"It counts until it is withdrawn: {as_called('claim', END=made.id[:SHOWN])}"
    return "\n".join([*(f"{name:<12} {value}" for name, value in lines.items()), "", ends])


def listed(found: list[ThingClaim]) -> str:
    """Return claims, a line each."""
    lines = (f"{one.id[:SHOWN]}  {one.created.astimezone(UTC):%Y-%m-%d %H:%M}  {one.kind}" for one in found)
    return "\n".join(lines) or NONE


def main() -> None:
    """Make a claim, list those that count, or withdraw some."""
    options = _options()
    stack = deployed(options.stack)
    if options.end:
        ended = withdraw(stack, options.end, options.kind)
        print(f"{listed(ended)}\n{len(ended)} withdrawn; what they made goes on")
    elif options.kind:
        print(text_of(make(stack, options.kind, home=HOME, folder=options.to), seen_from=Path.cwd()))
    else:
        print(listed(claims(stack)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("claim"), description=__doc__)
    parser.add_argument(
        "kind", nargs="?", help="what whoever has the claim may become, as a service's ingress.py names it"
    )
    parser.add_argument("--to", type=Path, help="the folder for key and certificate; without, one below .local/claims")
    parser.add_argument("--end", help=f"withdraw the claim whose id begins so; {ALL}: all of them")
    parser.add_argument("--stack", help="a stack on AWS; without, the one on this machine")
    return parser.parse_args()


if __name__ == "__main__":
    main()
