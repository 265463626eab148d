"""All of a gateway, connected: sources -> engine -> store -> sender -> API."""

import math
import queue
import threading
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Final

from andon_gateway.clock import Clock
from andon_gateway.config import Configuration
from andon_gateway.engine import Engine
from andon_gateway.health import Health
from andon_gateway.https import Https
from andon_gateway.north import ByHttps, ByMqtt, North
from andon_gateway.notify import notify
from andon_gateway.reading import Message
from andon_gateway.sender import Sender
from andon_gateway.sources import needing, sources_of
from andon_gateway.store import Store, Unavailable
from andon_gateway.tokens import Tokens

_MESSAGES: Final = 1000
ASK_TIME_S: Final = 2.0
LOOK_S: Final = 1.0


class Gateway:
    """A gateway of a configuration: `start`, then `stop` once."""

    def __init__(self, configuration: Configuration) -> None:
        """Open the store; nothing runs yet."""
        self._counts: Counter[str] = Counter()
        self._stopped = threading.Event()
        self._messages = queue.Queue[Message](_MESSAGES)
        self._clock = Clock(is_trusted=configuration.is_clock_trusted)
        self._north = _north_of(configuration.north, self._clock)
        self._store = Store(configuration.store, capacity=configuration.capacity)
        self._engine = Engine(configuration.machines, self._store, self._clock, self._counts)
        self._sender = Sender(self._store, self._north, counts=self._counts)
        self._sources = sources_of(configuration, self._messages, self._clock, self._counts)
        self._threads = [
            threading.Thread(target=self._work, name="engine", daemon=True),
            threading.Thread(target=self._send, name="sender", daemon=True),
        ]

    def start(self) -> None:
        """Begin, and return at once."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End; sources send anything that is not on the disk yet anew after a start."""
        self._stopped.set()
        for source in self._sources.values():
            source.stop()
        for thread in self._threads:
            thread.join()
        self._north.close()
        self._store.close()

    def watch(self) -> None:
        """Notify systemd each second while all threads live; return when one does not, or the gateway is stopped."""
        notify("READY=1")
        while all(thread.is_alive() for thread in self._threads) and not self._stopped.wait(LOOK_S):
            notify("WATCHDOG=1")

    def look(self) -> Health:
        """Return its health."""
        return Health(
            states=self._engine.states,
            sources={name: source.is_up for name, source in self._sources.items()},
            troubles=self._troubles(),
            counts=dict(self._counts),
            waiting=self._store.waiting,
            refused=self._store.refused,
            oldest_s=self._oldest_s(),
            is_clock_known=self._clock.is_known,
            trouble=self._engine.trouble or self._sender.trouble,
        )

    def _troubles(self) -> Mapping[str, str]:
        """Return the troubles of sources and of their values."""
        of_values = self._engine.troubles
        both = {name: (source.trouble, of_values.get(name)) for name, source in self._sources.items()}
        return {name: "; ".join(filter(None, said)) for name, said in both.items() if any(said)}

    def _oldest_s(self) -> float:
        try:
            oldest = self._store.oldest(1)
        except Unavailable:
            return math.inf
        return max(0, self._clock.now_ms() - oldest[0].at_ms) / 1000 if oldest else 0

    def _work(self) -> None:
        """Nothing is stamped before the time is known, so nothing is read."""
        while not self._clock.is_known:
            if self._stopped.wait(LOOK_S / 10):
                return
        for source in self._sources.values():
            source.start()
        self._engine.run(self._messages, self._stopped)

    def _send(self) -> None:
        self._north.ask_time()
        while not self._clock.is_known:
            if self._stopped.wait(ASK_TIME_S):
                return
            self._north.ask_time()
        self._sender.run(self._stopped)


def _north_of(settings: ByHttps | ByMqtt, clock: Clock) -> North:
    if isinstance(settings, ByHttps):
        tokens = Tokens(file=settings.token_file, command=settings.token_command)
        return Https(settings.url, tokens=tokens, clock=clock)
    with needing("mqtt", "andon"):
        from andon_gateway.mqtt_north import MqttNorth  # noqa: PLC0415  the core needs no package
    if settings.claim is None:
        return MqttNorth(settings, clock=clock)
    with needing("claim", "andon.claim"):
        from andon_gateway.claim_door import certificate_of  # noqa: PLC0415  as above
    return MqttNorth(settings, clock=clock, prepare=partial(certificate_of, settings.broker, settings.claim))
