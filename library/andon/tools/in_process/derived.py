"""`andon samples`: writes what follows from the packages of a project, in one go.

Samples; and of docs/openapi.json, AGENTS.md and llms.txt what the project keeps.
"""

import argparse
import os
import subprocess
import sys

from andon.project import project
from andon.tools.called import as_called
from andon.tools.in_process import agents, openapi, samples
from andon.tools.stack.errors import ToolFailed


def follow() -> None:
    """Write it anew behind a verb that changed packages, in a process of its own: this one knows those of before.

    Raises:
        ToolFailed: a package cannot be loaded, or recorded.

    """
    done = subprocess.run(
        [sys.executable, "-m", "andon.tools.in_process.derived"],
        cwd=project().root,
        env=os.environ | {"PYTHONPATH": project().imports},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        [why] = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        raise ToolFailed(f"what follows from packages is not written ({why}); mend it, then: {as_called('samples')}")


def main() -> None:
    """Write it anew; print the samples that are new, changed or removed."""
    argparse.ArgumentParser(prog="andon samples", description="Write what follows from the packages anew.").parse_args()
    for line in samples.write():
        print(line)
    if openapi.DOCUMENT.is_file():
        openapi.write()
    if (project().root / agents.AGENTS).is_file():
        agents.write(project().root)


if __name__ == "__main__":
    main()
