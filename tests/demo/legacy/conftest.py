from collections.abc import Iterator

import pytest

from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from tests.support.samples import NOW


@pytest.fixture(scope="module")
def loop_in_memory() -> Iterator[Loop]:
    """Everything, at `NOW`."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop
