"""Fixtures for the tests of both buildings."""

import gc
import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import tests.support.examples  # noqa: F401  its profile is to be in force before any test is read
from andon.events.publish import GROUPED
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.testing.synthesised import Synthesised
from andon.wire import aws_json
from tests.support.log_lines import LogLines, logged
from tests.support.samples import NOW
from tests.support.wire import Wire
from toys.installed import built, installed

pytest_plugins = ["andon.testing.plugin"]

# By default a sixth of some tests' CPU time is spent on looking for cycles among what they keep on purpose.
gc.set_threshold(100_000, 10, 10)

# The rules that the CDK itself has for templates only warn, and cost six seconds of CPU a process: see `make nag`.
os.environ["CDK_VALIDATION"] = "false"

_numbers = count(1)


def pytest_collection_finish() -> None:
    """Let the collector of cycles pass over modules and tests, which stay to the end."""
    gc.freeze()


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    """Everything, at `NOW`, empty at the beginning of a module; tests keep apart by `equipment_id`."""
    with Loop() as loop, frozen_clock(NOW):
        yield loop


@pytest.fixture
def wire() -> Iterator[Wire]:
    """Return the requests from here on; a test asks for it after `loop` or `world`."""
    with Wire() as wire:
        yield wire


@pytest.fixture
def equipment_id() -> str:
    """Return a piece of equipment that no other test knows."""
    return f"d#{next(_numbers)}"


@pytest.fixture
def each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each fact an entry of its own; a world that is a module's has set its environment before."""
    monkeypatch.delenv(GROUPED, raising=False)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds of every pause, none of which sleeps; in memory, none between attempts does either way."""
    pauses: list[float] = []
    monkeypatch.setattr(aws_json, "pause", pauses.append)
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


@pytest.fixture
def log_lines() -> Iterator[LogLines]:
    """Return the lines that are logged from here on."""
    with logged() as lines:
        yield lines


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


@pytest.fixture(scope="session")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the library's wheel."""
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def wheel(wheel_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the library's wheel was installed into."""
    return installed(wheel_file, tmp_path_factory.mktemp("installed"))
