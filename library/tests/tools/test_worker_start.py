import json
import os
import subprocess
from pathlib import Path

from support import needs

from andon.project import project
from andon.tools.stack import emulator

# Prints the script of the emulator's workers, as `emulator_process` changes it.
SCRIPT = """
from ministack.core import lambda_runtime
from andon.tools.stack.workers import without_botocore
print(without_botocore(lambda_runtime._PYTHON_WORKER_SCRIPT))
"""
HANDLER = """
import sys
def handler(event, context):
    return [event, "botocore" in sys.modules]
"""


def python(*arguments: str, said: str = "") -> str:
    """Run the emulator's interpreter; return what it printed."""
    return subprocess.run(  # noqa: S603
        [str(emulator.PYTHON), *arguments],
        env=os.environ | {"PYTHONPATH": project().imports},
        input=said,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@needs.EMULATOR
def test_a_worker_answers_and_imports_no_botocore_that_its_handler_does_without(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HANDLER)
    begin = {"code_dir": str(tmp_path), "module": "mine", "handler": "handler"}

    said = python("-c", python("-c", SCRIPT), said=f'{json.dumps(begin)}\n{{"event": 7}}\n')

    ready, answer = map(json.loads, said.splitlines())
    assert ready["status"] == "ready"
    assert answer == {"status": "ok", "result": [7, False]}
