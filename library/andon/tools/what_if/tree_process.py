"""A process that replays rules of one tree by the engine of this one, see `tree.py`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

import orjson

from andon.project import library_folder
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.tree import Replayed, ReplayOrder, TreeRules
from andon.tools.what_if.trees import Tree

MODULE: Final = "andon.tools.what_if.tree"
STDERR: Final = "stderr"
TOLD: Final = 300  # characters of why a tree cannot be read


class TreeProcess:
    """A process. rules: what its tree has. folder: for its decisions."""

    def __init__(self, tree: Tree, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.tree, self._process, self.folder = tree, process, folder
        self.rules = cast("TreeRules", self._answer())

    def begin(self, order: ReplayOrder) -> None:
        """Let it replay."""
        _pipe(self._process.stdin).write(orjson.dumps(order) + b"\n")
        _pipe(self._process.stdin).flush()

    def result(self) -> Replayed:
        """Wait until it has replayed.

        Raises:
            ToolFailed: it ended before.

        """
        return cast("Replayed", self._answer())

    def _answer(self) -> object:
        line = _pipe(self._process.stdout).readline()
        if not line:
            self._process.wait()
            lines = [one for one in (self.folder / STDERR).read_text(errors="replace").splitlines() if one.strip()]
            raise ToolFailed(f"the rules of {self.tree.name} cannot run: {(lines or ['it ended'])[-1][:TOLD]}")
        return orjson.loads(line)


@contextmanager
def running(tree: Tree, folder: Path) -> Iterator[TreeProcess]:
    """Run a process for a tree, and end it.

    Raises:
        ToolFailed: the tree cannot be imported.

    """
    imports = os.pathsep.join((str(tree.functions), str(library_folder().parent)))
    # It writes no bytecode: the working tree stays as it lies.
    environment = {**os.environ, "PYTHONPATH": imports, "PYTHONDONTWRITEBYTECODE": "1"}
    with (folder / STDERR).open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", MODULE], cwd=folder, env=environment, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        )  # fmt: skip
    try:
        yield TreeProcess(tree, process, folder)
    finally:
        process.kill()
        process.communicate()


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RuntimeError("the process was started with pipes")
    return pipe
