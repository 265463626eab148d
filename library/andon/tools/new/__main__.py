"""`andon new KIND …`: write something new that works and is tested, out of the template."""

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from andon import project
from andon.tools.new.errors import NotNew

MISUSED: Final = 2


class Kind(NamedTuple):
    """What can be made: the module whose `make` takes the arguments and returns what to say, and a line about it."""

    module: str
    about: str


KINDS: Final = {
    "project": Kind("project", "DIR NAME [--service THINGS]: a project of its own, with a service, a view and a rule"),
    "service": Kind("service", "NAME: a service with a command, a table and a fact of its own"),
    "view": Kind("view", "NAME [--of SOURCE/TYPE …]: a view with a row for each subject of some facts, and a query"),
    "fact": Kind("fact", "SERVICE NAME: a fact more of a service, with a row, a command and a route of its own"),
    "rule": Kind("rule", "SERVICE NAME [--of SOURCE/TYPE]: a rule over some facts; a new service of rules, if need be"),
}


def usage() -> str:
    """Return the kinds, each with a line about it."""
    lines = (f"  andon new {name} {kind.about}" for name, kind in KINDS.items())
    return "\n".join(["What is to be made?", *lines])


def main(arguments: Sequence[str]) -> int:
    """Make it; 2 if there is no such kind, 1 if it cannot be made, of which nothing is left."""
    kind, *others = arguments or [""]
    if kind not in KINDS:
        print(usage(), file=sys.stderr)
        return MISUSED
    try:
        make: Callable[[Sequence[str]], str] = importlib.import_module(f"andon.tools.new.{KINDS[kind].module}").make
        print(make(others))
    except ModuleNotFoundError as error:
        if error.name != project.MODULE:
            raise
        print(f"andon new {kind}: there is no functions/{project.MODULE}.py here or above", file=sys.stderr)
        return MISUSED
    except NotNew as why:
        print(f"andon new {kind}: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
