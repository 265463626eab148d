"""Fixtures of the laws."""

from collections.abc import Iterator

import pytest

from andon.testing.loop import Loop


@pytest.fixture(scope="module")
def world_of_module() -> Iterator[Loop]:
    """All packages, connected by AWS in memory."""
    with Loop() as world:
        yield world


@pytest.fixture
def world(world_of_module: Loop) -> Loop:
    """All packages, with nothing in AWS."""
    world_of_module.clear()
    return world_of_module
