from collections.abc import Iterator
from itertools import count

import pytest

from local.in_process import frozen_clock
from tests.patterns.things import World
from tests.samples import NOW

_numbers = count(1)


@pytest.fixture(scope="module")
def world(one_thread: None) -> Iterator[World]:  # noqa: ARG001
    """A table of things and a bus, at `NOW`, empty at the beginning of a module; tests keep apart by `name`."""
    with World() as world, frozen_clock(NOW):
        yield world


@pytest.fixture
def name() -> str:
    """A thing that no other test knows."""
    return f"thing {next(_numbers)}"
