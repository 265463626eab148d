"""What a project says of itself, once: its module `project`, in `functions/`, has a `PROJECT`.

Lambda, the infrastructure, the tools and the tests read it here. It costs no import that a handler does not have.
"""

import importlib
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

LIBRARY: Final = Path(__file__).parent
"""The library's own code."""


class Groups(NamedTuple):
    """The groups of the user pool, and which of them the library knows.

    admin: runs the system, and may call everything. auditors: read the whole history. devices: programs that report.
    """

    all: Sequence[str]
    admin: str
    auditors: frozenset[str]
    devices: frozenset[str] = frozenset()

    @property
    def admins(self) -> frozenset[str]:
        """The callers of a route that is for admins only."""
        return frozenset({self.admin})


class Project(NamedTuple):
    """A project.

    name: of the stack, of its metrics and of its topics. root: its folder. groups: who may do what the library's own
    routes do. demo: the module with what `andon up` loads and shows, if there is one, see `andon.tools.stack.demo`.
    """

    name: str
    root: Path
    groups: Groups
    demo: str | None = None

    @property
    def functions(self) -> Path:
        """The import root of its handlers."""
        return self.root / "functions"

    @property
    def imports(self) -> str:
        """`PYTHONPATH` of a process in which everything of the project can be imported."""
        return os.pathsep.join(map(str, (self.functions, LIBRARY.parent, self.root)))

    @property
    def events(self) -> Path:
        """A sample of every message."""
        return self.root / "events"

    @property
    def local(self) -> Path:
        """The folder of what tools build and keep, which git ignores."""
        return self.root / ".local"


@cache
def project() -> Project:
    """Return the project whose `functions/` this process imports from.

    Raises:
        ModuleNotFoundError: there is none.

    """
    found: Project = importlib.import_module("project").PROJECT
    return found
