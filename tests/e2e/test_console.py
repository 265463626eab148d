import io
import re
from typing import Any

import pytest
from rich.console import Console

from andon.runtime import clock, times
from andon.tools.console.__main__ import Session, print_once
from andon.tools.console.emulated import EmulatedStack
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from contract import groups
from demo import factory_start
from demo.factory import COMPANY, FACTORY, LINES, MACHINES
from demo.make_demo import Shift, play

SPEED = 30  # 12 reports a second
SECONDS = 4


@pytest.fixture(scope="module")
def shift(stack: Stack) -> Shift:
    """The demo factory has lived for some seconds."""
    factory_start.register(stack)
    shift = Shift(stack.outputs)
    play(shift, speed=SPEED, seconds=SECONDS, seed=5, show=lambda _: None)
    return shift


def logs(stack: Stack) -> list[dict[str, Any]]:
    """The view's logs of the demo's machines."""
    api = stack.api(groups.OPERATOR)
    since = times.to_utc(clock.now_ms() - 3_600_000)
    paths = [f"{path_of('equipment', machine.id, 'logs')}?from={since}&limit=100" for machine in MACHINES]
    return [log for path in paths for log in api.get(path).json["items"] if "detail" in log or log["state"] == "NORMAL"]


def screen(stack: Stack) -> str:
    console = Console(file=io.StringIO(), width=150)
    with console.capture() as captured:
        print_once(Session(stack.outputs, EmulatedStack.of(stack.outputs)), console)
    return captured.get()


def figures(text: str, title: str, subject: str) -> list[int]:
    """The figures of a row of a table."""
    _, _, table = text.partition(title)
    found = re.search(rf"^ *{subject} +([\d, ]+)", table, re.MULTILINE)
    assert found
    return [int(figure.replace(",", "")) for figure in found[1].split()]


def test_each_report_of_the_demo_is_accepted_and_in_the_view_once(stack: Stack, shift: Shift) -> None:
    reported = shift.done.total() - shift.done["acknowledged"]

    assert not shift.refused
    assert shift.orders["plan"]
    assert reported > SPEED
    assert eventually(lambda: len(logs(stack)) == reported)


def test_its_machines_hang_on_the_board_of_its_company(stack: Stack, shift: Shift) -> None:  # noqa: ARG001  it lives
    def names() -> set[str]:
        items = stack.api(groups.SUPERVISOR).get(f"{path_of('board', COMPANY)}?limit=100").json["items"]
        return {item["name"] for item in items if item["state"]}

    assert eventually(lambda: names() >= {machine.name for machine in MACHINES} - {"Welder 2"})
    assert stack.api(groups.OPERATOR).get(path_of("equipment", MACHINES[0].id)).json["lineId"] in LINES
    assert stack.api(groups.OPERATOR).get(path_of("factories", FACTORY, "roster")).status == 200


def test_one_screen_of_the_console_shows_the_flow_of_these_reports(stack: Stack, shift: Shift) -> None:
    reported = shift.done.total() - shift.done["acknowledged"]

    def received() -> int:
        return figures(screen(stack), "What became of events", "board")[0]

    assert eventually(lambda: received() >= reported)
    shown = screen(stack)
    assert figures(shown, "Requests and refusals", "HTTP")[0] >= reported
    assert figures(shown, "What was published", "equipment")[1] >= reported
    assert "Messages that wait for a person" in shown
