"""`andon samples`: writes what follows from the packages of a project, in one go.

Samples; and of docs/openapi.json, AGENTS.md and llms.txt what the project keeps.
"""

import argparse

from andon.project import project
from andon.tools.called import as_called
from andon.tools.in_process import agents, openapi, samples
from andon.tools.new import changes
from andon.tools.stack.errors import ToolFailed


def follow() -> None:
    """Write it anew behind a verb that changed packages, see `changes.follow`.

    Raises:
        ToolFailed: a package cannot be loaded, or recorded.

    """
    if why := changes.follow(project().root):
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
