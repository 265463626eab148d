"""`make up`: from nothing to a running system with data in it, on this machine."""

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from contract import groups
from local.sample import episode, questions, scenario, seed
from local.stack import emulator, stack
from local.stack.emulator import Emulator
from local.stack.errors import Failed
from local.stack.outputs import HOME
from local.stack.progress import step

INTERRUPTED: Final = 130
HIGHEST_PORT: Final = 65535


def up(home: Path, *, port: int | None, started_s: float) -> None:
    """Start or reuse the emulator of `home`, deploy, load the sample, show what it answers and how to go on.

    Raises:
        Failed: something is in the way, an answer is not AWS's, or the episode goes another way.
    """
    deployed = stack.bring_up(home, _emulator(home, port))
    days = seed.days_of(emulator.scratch(home))
    with step("loading AWS's sample through the API"):
        seed.load(deployed, days)
    with step("waiting until every view knows it"):
        asked = seed.asked_until_right(deployed.api(groups.OPERATOR), days)
    print(f"\n{questions.report(asked)}")
    wrong = [one.question.pattern for one in asked if not one.right]
    if wrong:
        raise Failed(f"not AWS's answer: {', '.join(wrong)}; for a clean start: make down up")
    print(f"All seven are AWS's answers; all dates are moved by {days} days, so that they are recent.\n")
    with step("living through an episode, from first warning to back to normal"):
        told = episode.live_through(deployed, run=episode.run_of(emulator.scratch(home)))
    print(f"\n{scenario.report(told)}\n\nThat was {episode.STORY.relative_to(emulator.ROOT)}; its ids are shortened.\n")
    print(_how_to_go_on(deployed))
    print(f"Up after {time.time() - started_s:.0f} s at {deployed.outputs['ApiUrl']}; end it with: make down")


def _emulator(home: Path, port: int | None) -> Emulator:
    found = emulator.running(home)
    if not found:
        with step(f"starting the emulator on port {port or emulator.DEFAULT_PORT}"):
            return emulator.start(home, port or emulator.DEFAULT_PORT)
    if port not in {None, found.port}:
        raise Failed(f"it already runs on port {found.port}; to move it: make down, then PORT={port} make up")
    return found


def _how_to_go_on(deployed: stack.Stack) -> str:
    url = deployed.outputs["ApiUrl"]
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.000Z"
    return f"""\
Paste this: a machine reports a state, and the view shows it a moment later.

TOKEN='{deployed.token(groups.OPERATOR)}'
curl -sS -w '\\n' -X PUT '{url}/equipment/press-7/states/{now}' \\
  -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{{"state": "WARNING1"}}'
sleep 2
curl -sS -w '\\n' '{url}/equipment/press-7/logs?state=WARNING1' -H "authorization: Bearer $TOKEN"

The token is an operator's and lasts an hour; for another one: make token ROLE=operator
"""


def main() -> int:
    """Bring it up, or say in a line what is in the way."""
    parser = argparse.ArgumentParser(prog="make up", usage="make up PORT=4567", description=__doc__)
    parser.add_argument("--port", type=int, help=f"of the emulator (default: {emulator.DEFAULT_PORT})")
    parser.add_argument("--started", type=float, default=time.time(), help="epoch seconds from which the time counts")
    given = parser.parse_args()
    if given.port is not None and not 0 < given.port <= HIGHEST_PORT:
        parser.error(f"PORT is a number from 1 to {HIGHEST_PORT}")
    try:
        up(HOME, port=given.port, started_s=given.started)
    except Failed as reason:
        print(f"make up: {reason}", file=sys.stderr)
        return 1
    except (OSError, BotoCoreError, ClientError) as unexpected:
        print(f"make up: the emulator does not do as it should: {unexpected}; see {HOME}/emulator.log", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted; what was started is ended with: make down", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
