from collections.abc import Iterator

import pytest

from andon.tools.in_process.world import frozen_clock
from tests.support.loop.in_memory import LoopInMemory
from tests.support.samples import NOW


@pytest.fixture(scope="module")
def loop_in_memory(one_thread: None) -> Iterator[LoopInMemory]:  # noqa: ARG001
    """Everything, at `NOW`."""
    with LoopInMemory() as loop, frozen_clock(NOW):
        yield loop
