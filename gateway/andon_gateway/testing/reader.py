"""A source that is read without a gateway: all that it says, and the newest value of each tag."""

import queue
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from andon_gateway.clock import Clock
from andon_gateway.config import Configuration
from andon_gateway.reading import Message, Source
from andon_gateway.sources import sources_of

_PATIENCE_S: Final = 300.0  # who waits longer has failed, however busy the machine is
_POLL_S: Final = 0.02


class Reader:
    """The newest values of a source by tag, all of its messages, and its counts."""

    def __init__(self, source: Source, messages: queue.Queue[Message], counts: Counter[str]) -> None:
        """Read a source that has begun."""
        self.source, self.counts = source, counts
        self._messages = messages
        self.values: dict[str, object] = {}
        self.seen: list[Message] = []

    def until(self, holds: Callable[[], bool], *, within_s: float = _PATIENCE_S) -> bool:
        """Take messages until none is left and something holds; return False if it did not in time."""
        ends_s = time.monotonic() + within_s
        while time.monotonic() < ends_s:
            try:
                message = self._messages.get(timeout=_POLL_S)
            except queue.Empty:
                if holds():
                    return True
                continue
            self.seen.append(message)
            self.values |= message.values
        return holds()


@contextmanager
def reading(configuration: Configuration) -> Iterator[Reader]:
    """Begin the one source of a configuration, and end it."""
    messages, counts = queue.Queue[Message](), Counter[str]()
    [source] = sources_of(configuration, messages, Clock(is_trusted=True), counts).values()
    source.start()
    try:
        yield Reader(source, messages, counts)
    finally:
        source.stop()
