"""A plugin of pytest: fixtures for tests of handlers and of the library. `andon.testing.plugin` brings it along."""

import gc
import time
from collections.abc import Iterator

import pytest

from andon.events.publish import GROUPED
from andon.testing.log_lines import LogLines, logged
from andon.testing.wire import Wire
from andon.wire import attempts


def pytest_configure() -> None:
    """Look for cycles less often: by default it takes a sixth of some tests' CPU time."""
    gc.set_threshold(100_000, 10, 10)


def pytest_collection_finish() -> None:
    """Let the collector of cycles pass over modules and tests, which stay to the end."""
    gc.freeze()


@pytest.fixture
def wire() -> Iterator[Wire]:
    """Return the requests from here on; a test asks for it after `loop` or `world`."""
    with Wire() as wire:
        yield wire


@pytest.fixture
def each_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each fact an entry of its own; a world that is a module's has set its environment before."""
    monkeypatch.delenv(GROUPED, raising=False)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds of every pause, none of which sleeps; in memory, none between attempts does either way."""
    pauses: list[float] = []
    monkeypatch.setattr(attempts, "pause", pauses.append)
    monkeypatch.setattr(time, "sleep", pauses.append)
    return pauses


@pytest.fixture
def log_lines() -> Iterator[LogLines]:
    """Return the lines that are logged from here on."""
    with logged() as lines:
        yield lines
