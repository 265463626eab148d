"""The only way from `library/andon/tools/stack/` to the sample domain: the module `demo.demo`, which may be missing."""

import importlib
from pathlib import Path
from typing import Final, Protocol, cast

from andon.tools.stack.stack import Stack

_MODULE: Final = "demo.demo"


class Demo(Protocol):
    """What the module has in it."""

    def load(self, stack: Stack, scratch: Path, *, verbose: bool) -> str:
        """Put data into `stack`, and return in a few lines what is in it; `scratch` lives as long as the emulator.

        Raises:
            Failed: the stack does not answer as it should.
        """

    def how_to_go_on(self, stack: Stack) -> str:
        """Return what a person can paste next."""


def find() -> Demo | None:
    """Return the module; None after its folder was deleted."""
    try:
        return cast("Demo", importlib.import_module(_MODULE))
    except ModuleNotFoundError as missing:
        if missing.name and _MODULE.startswith(missing.name):
            return None
        raise
