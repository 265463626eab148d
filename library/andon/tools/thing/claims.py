"""`andon claim KIND`: a claim, by which many become things of a kind; alone it lists the claims that count."""

import argparse
from datetime import UTC
from pathlib import Path
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.thing.certificate import CERTIFICATE, KEY, SIGNERS, seen
from andon.tools.thing.claim import ALL, SHOWN, MadeClaim, ThingClaim, claims, make, withdraw
from andon.tools.views.deployed import deployed

HOME: Final = project().local / "claims"
NONE: Final = "no claim counts"


def text_of(made: MadeClaim, *, seen_from: Path) -> str:
    """Return what whoever puts a claim onto things needs to know."""
    certificate, key, signers = (seen(made.folder / name, seen_from) for name in (CERTIFICATE, KEY, SIGNERS))
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
