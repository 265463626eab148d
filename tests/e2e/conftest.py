"""Targets of the end-to-end tests: the deployed stack, once per run; or this process's handlers on an emulator."""

from collections.abc import Iterator

import pytest

from andon.testing.emulated import EmulatedLoop
from andon.testing.loop import Loop
from andon.tools.stack import emulator
from andon.tools.stack.stack import Stack, bring_up
from tests.support.deployed.empty_emulator import empty_emulator


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """On a free port, in a folder of its own; on a lifeline, so that it ends with this run however that ends."""
    home = tmp_path_factory.mktemp("stack")
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield bring_up(home, running)
    finally:
        emulator.stop(home, running)


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    """Everything in this process, on an emulator of its own, which races and counts as DynamoDB does."""
    with empty_emulator(tmp_path_factory.mktemp("emulated")) as url, EmulatedLoop(url) as loop:
        yield loop
