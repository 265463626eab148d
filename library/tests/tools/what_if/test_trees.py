"""The worktree of a commit goes, however the process that made it ends."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from andon.tools.what_if.trees import git

HOLDS = """
import signal, sys
from pathlib import Path
from andon.tools.what_if.trees import commit, room
signal.signal(signal.SIGINT, signal.default_int_handler)
with room() as folder, commit(Path(sys.argv[1]), "HEAD", folder / "base") as tree:
    print((tree.functions / "thing.py").read_text(), folder, flush=True)
    signal.pause()
"""
DEADLINE_S = 60  # of a loaded machine


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_worktree_and_no_folder_is_left_when_it_is_asked_to_end(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "thing.py").write_text("A=1")
    git(tmp_path, "init", "--quiet", why="init")
    git(tmp_path, "add", ".", why="add")
    git(tmp_path, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message=m", why="m")
    before = git(tmp_path, "worktree", "list", why="list")
    (tmp_path / "functions" / "thing.py").write_text("A=2")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLDS, str(tmp_path)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603  ours
    with process as one:
        assert one.stdout is not None
        text, folder = one.stdout.readline().split()
        assert text == "A=1", "the commit, not what lies there"
        assert git(tmp_path, "worktree", "list", why="list") != before
        one.send_signal(number)
        assert one.wait(DEADLINE_S) != 0
    assert git(tmp_path, "worktree", "list", why="list") == before
    assert not Path(folder).exists()
