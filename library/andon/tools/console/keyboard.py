"""Keys of a terminal, one at a time and without Enter."""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LONGEST: Final = 8  # bytes of one key
ARROWS: Final = {"\x1b[A": "up", "\x1b[B": "down", "k": "up", "j": "down"}


@contextmanager
def keys_at_once() -> Iterator[None]:
    """Let the terminal hand over each key at once and show none, until the end."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def key_within(seconds: float) -> str:
    """Return the next key, as `q` or `up`; empty if none is pressed in time."""
    terminal = sys.stdin.fileno()
    ready, _, _ = select.select([terminal], [], [], max(0.0, seconds))
    pressed = os.read(terminal, LONGEST).decode(errors="replace") if ready else ""
    return ARROWS.get(pressed, pressed)
