import os
from collections.abc import Iterator
from itertools import count

import pytest

import andon.testing.examples  # noqa: F401  its profile is to be in force before any test is read
from andon.testing.environment import frozen_clock
from toys.clock import NOW
from toys.things import World
from toys.toy_control import Keeper

pytest_plugins = ["andon.testing.fixtures", "andon.testing.installed"]

# The rules that the CDK itself has for templates only warn, and cost six seconds of CPU a process.
os.environ["CDK_VALIDATION"] = "false"

_numbers = count(1)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A table of things and a bus, at `NOW`, empty at the beginning of a module; tests keep apart by `name`."""
    with World() as world, frozen_clock(NOW):
        yield world


@pytest.fixture(scope="module")
def keeper_of_module() -> Iterator[Keeper]:
    """A control service, at `NOW`, empty at the beginning of a module."""
    with Keeper() as keeper, frozen_clock(NOW):
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
