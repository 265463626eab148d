from collections.abc import Iterator
from itertools import count

import pytest

from andon.tools.in_process.world import frozen_clock
from tests.support.samples import NOW
from toys.things import World, WorldInMemory
from toys.toy_control import Keeper, KeeperInMemory

_numbers = count(1)


@pytest.fixture(scope="module")
def world(request: pytest.FixtureRequest, one_thread: None) -> Iterator[World]:  # noqa: ARG001
    """A table of things and a bus, at `NOW`, empty at the beginning of a module; tests keep apart by `name`."""
    of_module = World() if request.node.get_closest_marker("moto") else WorldInMemory()
    with of_module as world, frozen_clock(NOW):
        yield world


@pytest.fixture(scope="module")
def keeper_of_module(request: pytest.FixtureRequest, one_thread: None) -> Iterator[Keeper]:  # noqa: ARG001
    """A control service, at `NOW`, empty at the beginning of a module."""
    of_module = Keeper() if request.node.get_closest_marker("moto") else KeeperInMemory()
    with of_module as keeper, frozen_clock(NOW):
        yield keeper


@pytest.fixture
def keeper(keeper_of_module: Keeper) -> Keeper:
    """A control service, at `NOW`, where nothing is due and no message is left; tests keep apart by `name`."""
    keeper_of_module.forget()
    return keeper_of_module


@pytest.fixture
def name() -> str:
    """A thing that no other test knows."""
    return f"thing {next(_numbers)}"
