import os
import subprocess
import sys
from pathlib import Path

import pytest

from andon.project import project
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.redeploy import alone

HOLDS = """
import pathlib, sys
from andon.tools.stack.redeploy import alone
with alone(pathlib.Path(sys.argv[1])):
    print("in", flush=True)
    input()
"""


def test_a_second_one_is_told_who_is_at_work_until_that_is_gone(tmp_path: Path) -> None:
    first = subprocess.Popen(  # noqa: S603  our own words
        [sys.executable, "-c", HOLDS, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": project().imports},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert first.stdout
    assert first.stdout.readline() == b"in\n"

    with pytest.raises(ToolFailed, match=rf"as process {first.pid}; wait for that one"), alone(tmp_path):
        pass
    first.kill()
    first.communicate()

    with alone(tmp_path):
        pass
