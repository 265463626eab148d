"""The target of the end-to-end tests: the deployed stack, once per run."""

from collections.abc import Iterator

import pytest

from andon.tools.stack import emulator
from andon.tools.stack.stack import Stack, bring_up


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """On a free port, in a folder of its own; on a lifeline, so that it ends with this run however that ends."""
    home = tmp_path_factory.mktemp("stack")
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield bring_up(home, running)
    finally:
        emulator.stop(home, running)
