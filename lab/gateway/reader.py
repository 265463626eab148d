"""Values of a source, read as the engine reads them."""

import queue
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from andon.tools.stack.processes import PATIENCE_S
from andon_gateway.clock import Clock
from andon_gateway.config import read
from andon_gateway.reading import Message, Source
from andon_gateway.sources import sources_of

POLL_S: Final = 0.05


class Reader:
    """The newest values of a source by tag, and all of its messages."""

    def __init__(self, source: Source, messages: queue.Queue[Message]) -> None:
        """Read a source that has begun."""
        self.source = source
        self._messages = messages
        self.values: dict[str, object] = {}
        self.seen: list[Message] = []

    def eventually(self, holds: Callable[[], bool], *, within_s: float = PATIENCE_S) -> bool:
        """Take messages until something holds; return whether it did in time."""
        ends_s = time.monotonic() + within_s
        while not holds() and time.monotonic() < ends_s:
            try:
                message = self._messages.get(timeout=POLL_S)
            except queue.Empty:
                continue
            self.seen.append(message)
            self.values |= message.values
        return holds()


@contextmanager
def reading(file: Path) -> Iterator[Reader]:
    """Begin the one source of a configuration, and end it."""
    messages = queue.Queue[Message]()
    [source] = sources_of(read(file), messages, Clock(is_trusted=True), Counter()).values()
    source.start()
    try:
        yield Reader(source, messages)
    finally:
        source.stop()
