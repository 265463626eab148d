"""The names and addresses of what is deployed, in one flat file that every tool can read."""

import json
from pathlib import Path
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack import emulator, private_file
from andon.tools.stack.errors import NotRunning, ToolFailed

PARTS: Final = {
    "ArchiveBucket": ("stores", "Archive"),
    "ArchiveSweep": ("stores", "Archive"),
    "DriftBucket": ("stores", "Drift"),
    "EraserRoleArn": ("eraser", "Eraser"),
    "FaultsBucket": ("stores", "FaultStore"),
    "LakeBucket": ("lake", "Lake"),
    "ReplaysQueueUrl": ("stores", "Replays"),
    "SweptBuckets": ("eraser", "Eraser"),
}
"""Output -> module of `andon.cdk` and name of the part of the stack that has it, and that a project may lack."""

HOME: Final = project().local  # of the person's own stack; tests have theirs elsewhere


class Outputs(dict[str, str]):
    """Outputs of a stack; one that it lacks says which part of the stack is missing."""

    def __missing__(self, name: str) -> str:
        """Refuse it.

        Raises:
            ToolFailed: always; it says what to add where.

        """
        raise ToolFailed(lacking(name))


def lacking(name: str) -> str:
    """Return the words about an output that a stack lacks, with the lines to add."""
    up = as_called("up")
    if name not in PARTS:
        return f"the stack has no output {name}: it was deployed before that was there; {up} (on AWS: andon deploy)"
    module, part = PARTS[name]
    lines = f"from andon.cdk.{module} import {part}, and {part}(self, hub, api)"
    return f"the stack has no {part}: add its lines to infra/stack.py, {lines}; then {up} (on AWS: andon deploy)"


def write(home: Path, deployed: dict[str, str]) -> None:
    """Write `home/outputs.json`, which only its owner can read: it says where the emulator takes unsigned requests."""
    private_file.write(home / "outputs.json", json.dumps(deployed, indent=2, sort_keys=True) + "\n")


def remove(home: Path) -> None:
    """Remove the outputs of a stack that is gone."""
    (home / "outputs.json").unlink(missing_ok=True)


def of_running_stack(home: Path = HOME) -> Outputs:
    """Return the outputs of the stack in `home`.

    Raises:
        NotRunning: nothing is up.
    """
    try:
        deployed = Outputs(json.loads((home / "outputs.json").read_text()))
    except FileNotFoundError:
        deployed = Outputs()
    found = emulator.running(home)
    if not deployed or not found:
        raise NotRunning(f"nothing is running here; start it with: {as_called('up')}")
    if not emulator.answers(found):
        raise NotRunning(f"the emulator, process {found.pid}, does not answer; end it: {as_called('down')}")
    return deployed
