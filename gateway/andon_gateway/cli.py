"""The command `andon-gateway`."""

import argparse
import queue
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from andon_gateway.clock import Clock
from andon_gateway.conditions import Value
from andon_gateway.config import Configuration, read
from andon_gateway.engine import Wired
from andon_gateway.gateway import Gateway
from andon_gateway.health import server
from andon_gateway.north import ByMqtt
from andon_gateway.provisioning import Refused
from andon_gateway.reading import Message
from andon_gateway.sources import needing, sources_of
from andon_gateway.states import remembered, step
from andon_gateway.store import Unavailable
from andon_gateway.tables import BadConfiguration

WAIT_S: Final = 10.0
VERBS: Final = {
    "run": "report, until it is ended",
    "check": "read each value once, and print the states",
    "provision": "get a certificate by the claim, if there is none yet",
}

SourceTag = tuple[str, str]
"""The name of a source, and a tag of it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb; return 2 for a configuration that cannot be used, 1 for a store: its disk may have room later."""
    parser = argparse.ArgumentParser(prog="andon-gateway", description=__doc__)
    parser.add_argument("verb", choices=VERBS, help="; ".join(f"{verb}: {about}" for verb, about in VERBS.items()))
    parser.add_argument("configuration", type=Path)
    chosen = parser.parse_args(arguments)
    do = {"run": _run, "check": _check, "provision": _provision}
    try:
        return do[chosen.verb](read(chosen.configuration))
    except (BadConfiguration, ValueError) as error:
        print(f"{chosen.configuration}: {error}", file=sys.stderr)  # noqa: T201
        return 2
    except Unavailable as error:
        print(f"the store: {error}", file=sys.stderr)  # noqa: T201
        return 1


def _run(configuration: Configuration) -> int:
    gateway = Gateway(configuration)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    health = server(gateway.look, configuration.health_port) if configuration.health_port else None
    if health:
        threading.Thread(target=health.serve_forever, daemon=True).start()
    try:
        gateway.start()
        gateway.watch()
    except (KeyboardInterrupt, SystemExit):
        return 0
    finally:
        if health:
            health.shutdown()
            health.server_close()
        gateway.stop()
    return 1


def _provision(configuration: Configuration) -> int:
    """Get a certificate; return 1 if AWS gives none."""
    north = configuration.north
    if not isinstance(north, ByMqtt) or north.claim is None:
        raise BadConfiguration("andon.claim: is missing, by which a certificate is asked for")
    with needing("claim", "andon.claim"):
        from andon_gateway.claim_door import certificate_of  # noqa: PLC0415  the core needs no package
    try:
        print(certificate_of(north.broker, north.claim))  # noqa: T201
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _check(configuration: Configuration) -> int:
    """Print each machine's present report; return 1 if a value is missing."""
    messages = queue.Queue[Message]()
    clock = Clock(is_trusted=True)
    sources = sources_of(configuration, messages, clock, Counter())
    wanted = {(one.source, tag) for one in configuration.machines.values() for tag in one.tags.values()}
    for source in sources.values():
        source.start()
    found = _found(messages, wanted)
    missing = wanted - found.keys()
    troubles = {name: trouble for name, source in sources.items() if (trouble := source.trouble)}
    for source in sources.values():
        source.stop()
    for id_, one in configuration.machines.items():
        print(f"{id_}: {_said(one, found, clock.now_ms())}")  # noqa: T201
    for source_name, tag in sorted(missing):
        print(f"no value of {tag} from {source_name} within {WAIT_S:g} s", file=sys.stderr)  # noqa: T201
    for name, trouble in troubles.items() if missing else ():
        print(f"{name}: {trouble}", file=sys.stderr)  # noqa: T201
    return 1 if missing else 0


def _found(messages: queue.Queue[Message], wanted: AbstractSet[SourceTag]) -> dict[SourceTag, Value]:
    """Return the wanted values, as far as they come within `WAIT_S`; the last one of each."""
    found: dict[SourceTag, Value] = {}
    ends_s = time.monotonic() + WAIT_S
    while not wanted <= found.keys() and (left_s := ends_s - time.monotonic()) > 0:
        try:
            message = messages.get(timeout=left_s)
        except queue.Empty:
            break
        found |= {(message.source, tag): value for tag, value in message.values.items() if value is not None}
    return found


def _said(wired: Wired, found: Mapping[SourceTag, Value], now_ms: int) -> str:
    """Return the values of a machine, and the state that it would report."""
    values = {name: found[wired.source, tag] for name, tag in wired.tags.items() if (wired.source, tag) in found}
    _, report = step(wired.machine, remembered(wired.machine, None, 0), values, now_ms)
    said = " ".join(f"{name}={values.get(name, '?')}" for name in wired.tags)
    return f"{said} -> {report.state if report else 'nothing'}"


if __name__ == "__main__":
    sys.exit(main())
