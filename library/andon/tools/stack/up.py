"""`make up`: from nothing to a running system with data in it, on this machine."""

import argparse
import sys
import time
from pathlib import Path
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from andon.tools.stack import demo, emulator, stack
from andon.tools.stack.emulator import Emulator
from andon.tools.stack.errors import Failed
from andon.tools.stack.outputs import HOME
from andon.tools.stack.progress import step

INTERRUPTED: Final = 130
HIGHEST_PORT: Final = 65535


def up(home: Path, *, port: int | None, started_s: float, verbose: bool) -> None:
    """Start or reuse the emulator of `home`, deploy, load the demo, show what there is and how to go on.

    Raises:
        Failed: something is in the way, or the stack does not answer as it should.
    """
    deployed = stack.bring_up(home, _emulator(home, port))
    shown = demo.find()
    if shown:
        print(shown.load(deployed, emulator.scratch(home), verbose=verbose))
        print(f"\n{shown.how_to_go_on(deployed)}\n")
    ends = "see the flow: make console; end it: make down"
    print(f"Up after {time.time() - started_s:.0f} s at {deployed.outputs['ApiUrl']}; {ends}")


def _emulator(home: Path, port: int | None) -> Emulator:
    found = emulator.running(home)
    if not found:
        with step(f"starting the emulator on port {port or emulator.DEFAULT_PORT}"):
            return emulator.start(home, port or emulator.DEFAULT_PORT)
    if port not in {None, found.port}:
        raise Failed(f"it already runs on port {found.port}; to move it: make down, then PORT={port} make up")
    return found


def main() -> int:
    """Bring it up, or print in a line what is in the way."""
    parser = argparse.ArgumentParser(prog="make up", usage="make up PORT=4567 V=1", description=__doc__)
    parser.add_argument("--port", type=int, help=f"of the API (default: {emulator.DEFAULT_PORT})")
    parser.add_argument("--verbose", action="store_true", help="show all that is asked and answered")
    parser.add_argument("--started", type=float, default=time.time(), help="epoch seconds from which the time counts")
    options = parser.parse_args()
    if options.port is not None and not 0 < options.port <= HIGHEST_PORT:
        parser.error(f"PORT is a number from 1 to {HIGHEST_PORT}")
    try:
        up(HOME, port=options.port, started_s=options.started, verbose=options.verbose)
    except Failed as reason:
        print(f"make up: {reason}", file=sys.stderr)
        return 1
    except (OSError, BotoCoreError, ClientError) as unexpected:
        print(
            f"make up: the emulator does not work as it should: {unexpected}; see {HOME}/emulator.log", file=sys.stderr
        )
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted; what was started is ended with: make down", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
