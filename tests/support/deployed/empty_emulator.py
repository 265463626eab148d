"""An emulator with nothing on it, for handlers in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from andon.tools.stack import emulator


@contextmanager
def empty_emulator(home: Path) -> Iterator[str]:
    """Run one, which ends with this process; yield its address."""
    running = emulator.start(home, emulator.free_port(), lifeline=True)
    try:
        yield running.endpoint
    finally:
        emulator.stop(home, running)
