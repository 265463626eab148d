"""A project's demo data, if it has any, loaded once the stack runs here."""

import importlib
from pathlib import Path
from typing import Protocol, cast

from andon.project import project
from andon.tools.stack.stack import Stack


class Demo(Protocol):
    """The functions of a project's demo module."""

    def load(self, stack: Stack, scratch: Path, *, verbose: bool) -> str:
        """Put data into `stack`, and return in a few lines what is in it; `scratch` lives as long as the emulator.

        Raises:
            Failed: the stack does not answer as it should.
        """

    def how_to_go_on(self, stack: Stack) -> str:
        """Return commands that a person can paste next."""

    def how_to_be_told(self, stack: Stack) -> str:
        """Return commands by which somebody is sent something, for a person to paste."""


def find() -> Demo | None:
    """Return the project's module; None if it names none."""
    name = project().demo
    return None if name is None else cast("Demo", importlib.import_module(name))
