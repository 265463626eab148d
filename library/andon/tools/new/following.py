"""Writes what follows from the packages of a project: samples, docs/openapi.json, AGENTS.md and llms.txt.

With `--all` it writes all of it, else what the project keeps.
"""

import sys

from andon.project import project
from andon.tools.in_process import agents, openapi, samples
from andon.tools.new.changes import ALL


def main(*arguments: str) -> None:
    """Write it anew."""
    samples.write()
    if ALL in arguments or openapi.DOCUMENT.is_file():
        openapi.write()
    if ALL in arguments or (project().root / agents.AGENTS).is_file():
        agents.write(project().root)


if __name__ == "__main__":
    main(*sys.argv[1:])
