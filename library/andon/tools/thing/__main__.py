"""`andon connect KIND NAME`: a thing with a certificate, in a folder of this machine, and how it connects."""

import argparse
import shlex
from pathlib import Path
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.thing.certificate import CERTIFICATE, KEY, named_from
from andon.tools.thing.register import Registered, register
from andon.tools.views.deployed import deployed

HOME: Final = project().local / "things"


def text_of(made: Registered, *, seen_from: Path) -> str:
    """Return a text for a person: addresses, files, and a command that publishes."""
    files = {"certificate": made.folder / CERTIFICATE, "key": made.folder / KEY}
    shown = {name: named_from(path, seen_from) for name, path in files.items()}
    signers = named_from(made.signers, seen_from) if made.signers else None
    lines = {
        "client id": made.thing,
        "endpoint": f"{made.host}:{made.port}",
        "topic": made.topic,
        **shown,
        "trust": signers or "Amazon Root CA 1, which a system knows",
    }
    command = ["mosquitto_pub", "-h", made.host, "-p", str(made.port), "-i", made.thing, "-q", "1", "-t", made.topic]
    command += ["--cert", shown["certificate"], "--key", shown["key"]]
    command += ["--cafile", signers] if signers else ["--tls-use-os-certs"]
    return "\n".join([*(f"{name:<12} {value}" for name, value in lines.items()), "", f"{shlex.join(command)} -m …"])


def main() -> None:
    """Register a thing, and say how it connects."""
    options = _options()
    made = register(deployed(options.stack), options.kind, options.name, home=HOME, again=options.again)
    print(text_of(made, seen_from=Path.cwd()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("connect"), description=__doc__)
    parser.add_argument("kind", help="what it is, as a service's ingress.py names it")
    parser.add_argument("name", help="its name within the deployment")
    parser.add_argument("--again", action="store_true", help="it has a certificate, which the new one replaces")
    parser.add_argument("--stack", help="a stack on AWS; without, the one on this machine")
    return parser.parse_args()


if __name__ == "__main__":
    main()
