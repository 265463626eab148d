"""`andon samples`: writes what follows from the packages of a project, in one go.

Samples; and of docs/openapi.json, AGENTS.md and llms.txt what the project keeps, with `--all` each of them.
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
    parser = argparse.ArgumentParser(prog="andon samples", description="Write what follows from the packages anew.")
    parser.add_argument("--all", action="store_true", help="also the files that the project does not keep yet")
    everything = parser.parse_args().all
    for line in samples.write():
        print(line)
    if everything or openapi.DOCUMENT.is_file():
        openapi.write()
    if everything or (project().root / agents.AGENTS).is_file():
        agents.write(project().root)


if __name__ == "__main__":
    main()
