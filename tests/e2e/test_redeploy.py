"""Changed code comes to the functions of a running stack, and what lies in the lake to a view that is new."""

import io
import time
import zipfile
from typing import Final

import pytest

from andon.packages.package import Package
from andon.runtime import times
from andon.tools.stack import redeploy
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon.tools.views.deployed import here
from andon.tools.views.fill import fill_new

BOARD: Final = Package("views", "board")
NOBODY: Final = "/equipment/nobody-knows-it/board"
BEFORE, AFTER = "Nothing is known of this equipment.", "This was written while it ran."


def detail(stack: Stack) -> str:
    """Return what the view says of equipment that it does not know."""
    answer = stack.api("operator").get(NOBODY)
    assert answer.status == 404
    said: str = answer.json["detail"]
    return said


def edited(packed: bytes) -> bytes:
    """Return a package's zip file with another text in it."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as before, zipfile.ZipFile(made, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(BEFORE.encode(), AFTER.encode()))
    return made.getvalue()


def test_functions_of_a_package_answer_by_the_code_that_they_were_given_last(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert detail(stack) == BEFORE
    pack = redeploy.pack

    with monkeypatch.context() as patched:
        patched.setattr(redeploy, "pack", lambda package: edited(pack(package)))
        functions = redeploy.swap(stack.outputs, [BOARD])
    there = detail(stack)
    redeploy.swap(stack.outputs, [BOARD])

    assert there == AFTER
    assert functions == len(BOARD.roles)
    assert detail(stack) == BEFORE


def test_a_view_that_is_new_is_filled_from_the_lake(stack: Stack) -> None:
    """It is new to the stack: here its rows of one machine are gone."""
    machine, at = "press-of-a-new-view", times.to_utc(int(time.time() * 1000))
    reports, logs = stack.api("operator"), path_of("equipment", machine, "logs")
    assert reports.put(path_of("equipment", machine, "states", at), {"state": "ERROR"}).status in {200, 201, 204}

    def has_log() -> bool:
        return bool(reports.get(logs).json["items"])

    assert eventually(has_log)
    key = {"DeviceID": {"S": machine}, "State#Date": {"S": f"ERROR#{at}"}}
    stack.client("dynamodb").delete_item(TableName=stack.outputs["StateLogTable"], Key=key)
    assert not has_log()

    [said] = fill_new(here(stack.outputs), ["state_log", "no_view"])

    assert said.startswith("state_log is new: ")
    assert eventually(has_log)
