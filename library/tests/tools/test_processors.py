import os
import subprocess
import sys

import pytest

from andon.project import project

# Keeps itself to one processor, starts a process, frees it, and prints on how many each of the two may run.
CODE = """
import os, subprocess, sys
from andon.tools.stack import workers
workers.keep_to_one()
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
workers.free(child.pid)
print(len(os.sched_getaffinity(0)), len(os.sched_getaffinity(child.pid)) == os.cpu_count())
child.communicate(b"\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process cannot choose")
def test_the_emulator_keeps_to_one_processor_and_its_workers_run_on_all() -> None:
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", CODE],
        env=os.environ | {"PYTHONPATH": project().imports},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["1", "True"]
