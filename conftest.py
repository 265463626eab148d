"""Fixtures for the tests of the factory; those of the library have their own."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import andon.testing.examples  # noqa: F401  its profile is to be in force before any test is read
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.synthesised import Synthesised
from tests.support.samples import NOW

pytest_plugins = ["andon.testing.plugin", "andon.testing.deployed", "andon.testing.installed"]

# The rules that the CDK itself has for templates only warn, and cost six seconds of CPU a process: see `make nag`.
os.environ["CDK_VALIDATION"] = "false"

_numbers = count(1)


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    """Everything, at `NOW`, empty at the beginning of a module; tests keep apart by `equipment_id`."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop


@pytest.fixture
def equipment_id() -> str:
    """Return a piece of equipment that no other test knows."""
    return f"d#{next(_numbers)}"


@pytest.fixture(scope="session")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder, which stands for the layer."""
    return tmp_path_factory.mktemp("layer")


@pytest.fixture(scope="session")
def template(layer: Path) -> Synthesised:
    """Return the stage dev with alarms, audited, for the tests of the infrastructure and the law of permissions."""
    import tests.support.infra.kernel  # noqa: F401, PLC0415  it loads the CDK
    from tests.support.infra.synthesised import synthesise  # noqa: PLC0415  so does this

    return synthesise(layer, audited=True, alarms=True)
