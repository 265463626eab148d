"""The data of `make up`: AWS's device-state-log sample, a demo factory, an episode that the rules decide in.

`library/andon/tools/stack/demo.py` says what it calls.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError

from andon.project import project
from andon.tools.stack import users
from andon.tools.stack.api import path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack
from contract import groups
from demo import directory, episode, factory_contacts, factory_help, factory_start, questions, scenario, seed
from demo.factory import COMPANY, FACTORY, MACHINES
from demo.factory_contacts import Unchecked
from demo.scenario import Played

STORY: Final = episode.STORY.relative_to(project().root)


def load(stack: Stack, scratch: Path, *, verbose: bool) -> str:
    """Load the sample, open the factory, live through an episode; return a line on each, or all with `verbose`.

    Raises:
        Failed: an answer to one of the seven questions is not AWS's.
    """
    days = seed.days_of(scratch)
    asked = _loaded(stack, days)
    loaded = f"Sample: all {len(asked)} questions get AWS's answers; its dates are moved by {days} days to yesterday."
    with step("writing down the demo factory, and how its people are told"):
        factory_start.register(stack)
        unchecked = factory_contacts.ask(stack)
    with step("living through an episode, from first warning to back to normal"):
        played, ending = _episode(stack, episode.run_of(scratch))
    opened = _opened(stack, scratch, unchecked)
    with step("warming up for many clients at once"):
        seed.warm_up(stack, days)
    if not verbose:
        return f"{loaded}\n{opened}\n{ending}"
    return (
        f"\n{questions.report(asked)}\n{loaded}\n{opened}\n\n{scenario.report(played)}\n\n{ending} (Ids are shortened.)"
    )


def _loaded(stack: Stack, days: int) -> list[questions.AnsweredQuestion]:
    with step("loading AWS's sample through the API"):
        seed.load(stack, days)
    with step("waiting until every view knows it"):
        asked = seed.asked_until_right(stack.api(groups.OPERATOR), days)
    wrong = [one.question.pattern for one in asked if not one.right]
    if wrong:
        raise ToolFailed(
            f"{questions.report(asked)}\nnot AWS's answer: {', '.join(wrong)}; for a clean start: make down up"
        )
    return asked


def _episode(stack: Stack, run: int) -> tuple[list[Played], str]:
    directory.write_down_episode(stack, run=run)
    return lived_through(stack, run=run)


def _opened(stack: Stack, scratch: Path, unchecked: Sequence[Unchecked]) -> str:
    """Open the demo factory; return a line on it, and one for each address that nobody could check."""
    with step("checking the addresses of those who are told, by the codes that came there"):
        untold = factory_contacts.check(stack, unchecked)
        factory_help.set_up(stack)
    with step("opening the demo factory"):
        return "\n".join([factory_start.begin(stack, scratch), *untold])


def lived_through(stack: Stack, *, run: int) -> tuple[list[Played], str]:
    """Live through the episode as far as it goes; return its calls, and in a line how it ended.

    On a busy machine a report may arrive after the time that rules wait for it. Then they decide otherwise, and
    nothing is broken.
    """
    played: list[Played] = []
    try:
        for one in episode.live_through(stack, run=run):
            played.append(one)  # noqa: PERF402  the calls before one that fails are kept, too
    except (ToolFailed, OSError, BotoCoreError, ClientError) as reason:
        return played, f"WARNING: the episode ({STORY}) ended after {len(played)} calls: {reason}"
    return played, f"Episode: {len(played)} calls about mill-{run} were answered as in {STORY}."


def how_to_go_on(stack: Stack) -> str:
    """Return the address of the demo factory's board, and a command that reports a state there as an operator."""
    url = stack.outputs["ApiUrl"]
    path = path_of("equipment", MACHINES[0].id, "states")
    return f"""\
Look at the board, signed in as {groups.SUPERVISOR} or {groups.OPERATOR} with the password {users.PASSWORD}:
  {board_of(stack)}
Let its factory live until Ctrl-C: make demo; read what its people are sent: make inbox
Or report something yourself; a moment later it hangs on the board:
  TOKEN=$(make -s token ROLE=operator)
  curl -sS -X PUT {url}{path}/$(date -u +%FT%TZ) -H "authorization: Bearer $TOKEN" \\
    -H 'content-type: application/json' -d '{{"state": "WARNING1"}}'; echo"""


def how_to_be_told(stack: Stack) -> str:
    """Return a command by which the demo factory's people are sent something."""
    return f"The people of {board_of(stack)} are told of calls and trouble: make demo"


def board_of(stack: Stack) -> str:
    """Return the address of the demo factory's board."""
    page = stack.outputs.get("BoardUrl", f"{stack.outputs['ApiUrl']}/")
    return f"{page}#{path_of('board', COMPANY, FACTORY)}"
