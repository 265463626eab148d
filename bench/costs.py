"""Prints what DynamoDB counts for each design for versions and for a state report, and what a million of those cost.

The emulator counts first. The bills are of what the handlers do on a stand-in that counts alike.

A process of its own: nothing else may have hooked into AWS's clients.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from andon.tools.stack import emulator
from andon.tools.stack.aws import KEY, REGION
from andon.wire import aws
from bench import million_reports, version_units
from bench.simulate import bills

Result = TypeVar("Result")


def main(arguments: list[str] | None = None) -> int:
    """Measure on emulators of its own; 1 if a figure is not what it is on paper."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--without-bills", action="store_true", help="only what DynamoDB counts, without dollars")
    chosen = parser.parse_args(arguments)
    point_at_nothing()
    figures = on_an_emulator(version_units.measure)
    print(version_units.report(figures), end="\n\n", flush=True)
    counted = on_an_emulator(million_reports.measure)
    print(million_reports.report(counted), end="\n\n", flush=True)
    if not chosen.without_bills:
        aws.forget()
        print(bills.report(bills.bills()))
    return int(any(one.differs for one in figures) or bool(million_reports.differing(counted)))


def on_an_emulator(measure: Callable[[str], Result]) -> Result:
    """Measure on an empty emulator, whose address is passed on."""
    with tempfile.TemporaryDirectory(prefix="andon-costs-") as home:
        running = emulator.start(Path(home), emulator.free_port(), lifeline=True)
        try:
            return measure(running.endpoint)
        finally:
            emulator.stop(Path(home), running)


def point_at_nothing() -> None:
    """Let this process find no AWS but the emulator, whatever its environment says."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": KEY,
        "AWS_CONFIG_FILE": os.devnull,
        "NO_PROXY": emulator.HOST,
    }


if __name__ == "__main__":
    sys.exit(main())
