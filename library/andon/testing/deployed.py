"""A plugin of pytest: the deployed stack that end-to-end tests try, once a run, in whatever folder they are."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from andon.tools.stack import emulator
from andon.tools.stack.stack import Stack, bring_up


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the stack."""
    return tmp_path_factory.mktemp("stack")


@pytest.fixture(scope="session")
def stack(home: Path) -> Iterator[Stack]:
    """Return a stack on a free port, in a folder of its own; on a lifeline: it ends with this run however that ends."""
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield bring_up(home, running)
    finally:
        emulator.stop(home, running)
