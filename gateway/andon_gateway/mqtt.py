"""Brokers of MQTT: a connection each, and a supervisor that connects anew, each time with a new client."""

import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Final, Protocol

from andon_gateway.brokers import Broker
from andon_gateway.changes import Change, messages_of
from andon_gateway.clock import Clock
from andon_gateway.mqtt_connection import Connection
from andon_gateway.pauses import pause_s
from andon_gateway.reading import Messages

KEEP_ALIVE_S: Final = 3
LONGEST_PAUSE_S: Final = 30.0
GRACE_S: Final = 5.0


class Reader(Protocol):
    """Changes that messages make; now_ms: of a clock that is never set; at_ms: epoch ms."""

    @property
    def filters(self) -> Sequence[str]:
        """Filters of topics to subscribe to."""

    @property
    def trouble(self) -> str | None:
        """Reason why some values do not come, for people."""

    def take(self, topic: str, content: bytes, *, is_kept: bool, now_ms: int) -> list[Change]:
        """Return the changes that a message makes; is_kept: the broker had retained it."""

    def tick(self, now_ms: int) -> list[Change]:
        """Return the changes that time alone makes."""

    def asks(self, *, now_ms: int, at_ms: int) -> list[tuple[str, bytes]]:
        """Return messages that are due to be sent: topic, content."""

    def lose(self) -> list[Change]:
        """Return that nothing is known any more."""


class Mqtt:
    """A source of the kinds `mqtt` and `sparkplug`."""

    def __init__(
        self, name: str, broker: Broker, reader: Reader, *, messages: Messages, clock: Clock, counts: Counter[str]
    ) -> None:
        """Prepare it; nothing connects yet."""
        self._name = name
        self._broker = broker
        self._reader = reader
        self._messages = messages
        self._clock = clock
        self._counts = counts
        self._failures = 0
        self._chance = Random()  # noqa: S311  a pause is no secret
        self._lost: str | None = "not connected yet"
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._supervise, name=f"source {name}", daemon=True)

    @property
    def is_up(self) -> bool:
        """True while values come."""
        return self.trouble is None

    @property
    def trouble(self) -> str | None:
        """The reason for no connection, or the tags without values."""
        return self._lost or self._reader.trouble

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Disconnect from the broker, and wait for that."""
        self._stopped.set()
        if self._thread.ident:
            self._thread.join(GRACE_S)

    def _supervise(self) -> None:
        while not self._stopped.is_set():
            try:
                self._live()
            except Exception as error:  # noqa: BLE001  nobody has a list of what a library raises about a foreign broker
                self._counts["source_failures"] += 1
                self._lost = str(error) or type(error).__name__
            self._put(self._reader.lose())
            self._stopped.wait(pause_s(self._failures, longest_s=LONGEST_PAUSE_S, chance=self._chance))
            self._failures += 1

    def _live(self) -> None:
        """Connect once, and pass on values until that is over."""
        connection = Connection(self._broker, keep_alive_s=KEEP_ALIVE_S, take=self._take)
        try:
            connection.open(self._reader.filters)
            self._lost, self._failures = None, 0
            while not self._stopped.is_set():
                self._put(self._reader.tick(_now_ms()))
                for topic, content in self._reader.asks(now_ms=_now_ms(), at_ms=self._clock.now_ms()):
                    connection.publish(topic, content)
                connection.step()
        finally:
            connection.close()

    def _take(self, topic: str, content: bytes, is_kept: bool) -> None:  # noqa: FBT001  see Take
        self._counts["malformed"] += not topic
        self._put(self._reader.take(topic, content, is_kept=is_kept, now_ms=_now_ms()))

    def _put(self, changes: Iterable[Change]) -> None:
        """Wait for room, and let the broker wait; one that gives us up is connected to anew."""
        for message in messages_of(changes, source=self._name, received_ms=self._clock.now_ms()):
            while not self._stopped.is_set():
                with contextlib.suppress(queue.Full):
                    self._messages.put(message, timeout=1)
                    break


def _now_ms() -> int:
    return int(time.monotonic() * 1000)
