"""Loads the sample through the API, and waits until the views know all of it."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

from andon.tools.stack.api import ApiClient
from andon.tools.stack.stack import Stack
from demo import device_state_log, directory, questions
from demo.writing import put

COMPLETE_WITHIN_S: Final = 60
POLL_S: Final = 0.3
CLIENTS: Final = 8  # as `make load` has
ROUNDS: Final = 5  # so that all of them wait for an answer at the same time


def load(stack: Stack, days: int) -> None:
    """Write down its people, and send the sample's commands; sending them again changes nothing.

    Raises:
        Failed: one was refused.
    """
    directory.write_down(stack)
    for command in device_state_log.commands(device_state_log.sample(days)):
        _send(stack, command)


def warm_up(stack: Stack, days: int) -> None:
    """Report as many clients do at once, so that as many functions run already when somebody tries that.

    They report what is known already, which changes nothing.

    Raises:
        Failed: one was refused.
    """
    reports = [device_state_log.state_report(log) for log in device_state_log.sample(days)[:CLIENTS]] * ROUNDS
    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in pool.map(partial(_send, stack), reports):
            pass


def _send(stack: Stack, command: device_state_log.RoleRequest) -> None:
    put(stack.api(command.role), command.path, command.body)


def asked_until_right(api: ApiClient, days: int) -> list[questions.AnsweredQuestion]:
    """Ask the seven questions until the answers are AWS's or the time is up; return the last answers."""
    deadline = time.monotonic() + COMPLETE_WITHIN_S
    while True:
        asked = questions.ask(api, days)
        if all(one.right for one in asked) or time.monotonic() > deadline:
            return asked
        time.sleep(POLL_S)


def days_to_yesterday() -> int:
    """Return by how many days the sample moves for its newest row to be of yesterday (UTC)."""
    return device_state_log.days_until(datetime.now(UTC).date() - timedelta(days=1))


def days_of(scratch: Path) -> int:
    """Return by how many days the sample was moved when the emulator with this `scratch` folder was new.

    An emulator that has run since yesterday would otherwise get the sample twice, the second time a day later.
    """
    noted = scratch / "sample-days"
    if not noted.exists():
        noted.write_text(str(days_to_yesterday()))
    return int(noted.read_text())
