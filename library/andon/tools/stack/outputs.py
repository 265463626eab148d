"""The names and addresses of what is deployed, in one flat file that every tool can read."""

import json
from pathlib import Path
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack import emulator, private_file
from andon.tools.stack.errors import NotRunning

HOME: Final = project().local  # of the person's own stack; tests have theirs elsewhere


def write(home: Path, deployed: dict[str, str]) -> None:
    """Write `home/outputs.json`, which only its owner can read: it says where the emulator takes unsigned requests."""
    private_file.write(home / "outputs.json", json.dumps(deployed, indent=2, sort_keys=True) + "\n")


def remove(home: Path) -> None:
    """Remove the outputs of a stack that is gone."""
    (home / "outputs.json").unlink(missing_ok=True)


def of_running_stack(home: Path = HOME) -> dict[str, str]:
    """Return the outputs of the stack in `home`.

    Raises:
        NotRunning: nothing is up.
    """
    try:
        deployed: dict[str, str] = json.loads((home / "outputs.json").read_text())
    except FileNotFoundError:
        deployed = {}
    found = emulator.running(home)
    if not deployed or not found:
        raise NotRunning(f"nothing is running here; start it with: {as_called('up')}")
    if not emulator.answers(found):
        raise NotRunning(f"the emulator, process {found.pid}, does not answer; end it: {as_called('down')}")
    return deployed
