"""The stack that the end-to-end tests run on: deployed once per run, to an emulator of its own."""

from collections.abc import Iterator

import pytest

from local import emulator
from local.stack import Stack, bring_up


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """On a free port, in a folder of its own; on a lifeline, so that it ends with this run however that ends."""
    home = tmp_path_factory.mktemp("stack")
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield bring_up(home, running)
    finally:
        emulator.stop(home, running)
