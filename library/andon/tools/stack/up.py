"""`make up`: from nothing to a running system with data in it, on this machine."""

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from andon.tools.called import as_called
from andon.tools.mishaps import words_of
from andon.tools.stack import demo, emulator, processes
from andon.tools.stack.emulator import Emulator
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.outputs import HOME
from andon.tools.stack.progress import step
from andon.tools.stack.redeploy import alone, deploy_all

INTERRUPTED: Final = 130
_HIGHEST_PORT: Final = 65535


def up(home: Path, *, port: int | None, started_s: float, verbose: bool) -> None:
    """Start or reuse the emulator of `home`, deploy, load the demo, show what there is and how to go on.

    Raises:
        Failed: something is in the way, or the stack does not answer as it should.
    """
    processes.end_left(home)
    _emulator(home, port)
    deployed = deploy_all(home)
    shown = demo.find()
    if shown:
        print(shown.load(deployed, emulator.scratch(home), verbose=verbose))
        print(f"\n{shown.how_to_go_on(deployed)}\n")
    ends = f"after a change: {as_called('redeploy')}; see the flow: {as_called('console')}; end it: {as_called('down')}"
    print(f"Up after {time.time() - started_s:.0f} s at {deployed.outputs['ApiUrl']}; {ends}")


def _emulator(home: Path, port: int | None) -> Emulator:
    """Return the emulator of `home`, which runs."""
    found = emulator.running(home)
    if not found:
        with step(f"starting the emulator on port {port or emulator.DEFAULT_PORT}"):
            return emulator.start(home, port or emulator.DEFAULT_PORT)
    end = as_called("down")
    if port not in {None, found.port}:
        raise ToolFailed(f"it already runs on port {found.port}; to move it: {end}, then {as_called('up', PORT=port)}")
    if not emulator.answers(found):
        raise ToolFailed(f"the emulator is there, as process {found.pid}, but does not answer; end it: {end}")
    return found


def main() -> int:
    """Bring it up, or print in a line what is in the way."""
    options = _options()
    for number in (signal.SIGTERM, signal.SIGHUP):  # or the CDK, a child in a group of its own, would go on
        signal.signal(number, _interrupt)
    try:
        with alone(HOME):
            up(HOME, port=options.port, started_s=options.started, verbose=options.verbose)
    except BrokenPipeError:  # `andon` knows who has left
        raise
    except (ToolFailed, OSError, BotoCoreError, ClientError) as error:
        why = words_of(error) or f"the emulator does not work as it should: {error}; see {HOME}/emulator.log"
        print(f"{as_called('up')}: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"\ninterrupted; what was started is ended with: {as_called('down')}", file=sys.stderr)
        return INTERRUPTED
    return 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("up"), usage=as_called("up", PORT=4567), description=__doc__)
    parser.add_argument("--port", type=int, help=f"of the API (default: {emulator.DEFAULT_PORT})")
    parser.add_argument("--verbose", action="store_true", help="show all that is asked and answered")
    parser.add_argument("--started", type=float, default=time.time(), help="epoch seconds from which the time counts")
    options = parser.parse_args()
    if options.port is not None and not 0 < options.port <= _HIGHEST_PORT:
        parser.error(f"PORT is a number from 1 to {_HIGHEST_PORT}")
    return options


if __name__ == "__main__":
    sys.exit(main())
