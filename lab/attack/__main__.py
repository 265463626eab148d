"""`make attack`: attacks a local stack of its own, and prints what was tried and what held. Exit 1: something broke."""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from andon.tools.stack import emulator
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.stack.stack import bring_up
from lab.attack import report
from lab.attack.known import KNOWN
from lab.attack.run import REQUESTS, attack

INTERRUPTED: Final = 130


def main() -> int:
    """Bring a stack up, attack it and end it."""
    parser = argparse.ArgumentParser(prog="make attack", usage="make attack N=10000 SEED=1", description=__doc__)
    parser.add_argument("--requests", type=int, default=REQUESTS, help=f"how many, at least (default: {REQUESTS})")
    parser.add_argument("--seed", type=int, default=1, help="of the dice; the same seed tries the same (default: 1)")
    given = parser.parse_args()
    if given.requests < 1:
        parser.error("N is at least 1")
    with tempfile.TemporaryDirectory(prefix="andon-attack-") as folder:
        home = Path(folder)
        try:
            with step("starting an emulator"):
                running = emulator.start(home, emulator.free_port(), lifeline=True)
            try:
                record = attack(bring_up(home, running), requests=given.requests, seed=given.seed)
            finally:
                emulator.stop(home, running)
        except ToolFailed as reason:
            print(f"make attack: {reason}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return INTERRUPTED
    print(f"\n{report.table(record)}\n\n{report.findings(record, KNOWN)}")
    return 1 if record.findings or record.mended(KNOWN) else 0


if __name__ == "__main__":
    sys.exit(main())
