"""`andon new KIND …`: write something new that works and is tested, out of the template."""

import importlib
import sys
from collections.abc import Sequence
from typing import Final

from andon import project
from andon.tools.new.arguments import parser
from andon.tools.new.words import NotNew

MISUSED: Final = 2


def main(arguments: Sequence[str]) -> int:
    """Make it; 2 if there is no such kind, 1 if it cannot be made, of which nothing is left."""
    asked = parser().parse_args(arguments)
    if asked.kind is None:
        parser().print_help(sys.stderr)
        return MISUSED
    try:
        print(importlib.import_module(f"andon.tools.new.{asked.kind}").make(asked))
    except ModuleNotFoundError as error:
        if error.name != project.MODULE:
            raise
        print(f"andon new {asked.kind}: there is no functions/{project.MODULE}.py here or above", file=sys.stderr)
        return MISUSED
    except NotNew as why:
        print(f"andon new {asked.kind}: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
