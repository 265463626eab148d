"""OPC UA servers: a subscription each, and a supervisor that connects anew, each time with a new client.

asyncua can reconnect by itself. When a server had stood still for 8 s it said that it had, and gave no value for 90 s.
"""

import asyncio
import contextlib
import logging
import queue
import threading
from collections import Counter
from collections.abc import Collection
from typing import Final

from andon_gateway.clock import Clock
from andon_gateway.kinds import OpcuaSource
from andon_gateway.opcua_session import Session, reason_of
from andon_gateway.reading import Message, Messages

AGAIN_S: Final = 1.0
REFUSED_S: Final = 60.0
GRACE_S: Final = 5.0

# What goes wrong is on the page of health; asyncua's lines say it again, with stack traces.
logging.getLogger("asyncua").setLevel(logging.CRITICAL + 1)


class Opcua:
    """A source of kind `opcua`. tags: names of the nodes that machines use, see `NodeName`."""

    def __init__(
        self, settings: OpcuaSource, *, tags: Collection[str], messages: Messages, clock: Clock, counts: Counter[str]
    ) -> None:
        """Prepare it; nothing connects yet."""
        self._settings = settings
        self._tags = frozenset(tags)
        self._messages = messages
        self._clock = clock
        self._counts = counts
        self._stopped = threading.Event()
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None
        self._session: Session | None = None
        self._lost: str | None = "not connected yet"
        self._thread = threading.Thread(target=self._supervise, name=f"source {settings.name}", daemon=True)

    @property
    def is_up(self) -> bool:
        """True while values come."""
        return self._lost is None

    @property
    def trouble(self) -> str | None:
        """Why there is no connection, or which nodes give no values."""
        session = self._session
        return self._lost or (session.trouble if session else None)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Disconnect from the server, and wait for that."""
        self._stopped.set()
        if running := self._running:
            loop, task = running
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(task.cancel)
        if self._thread.ident:
            self._thread.join(GRACE_S)

    def _supervise(self) -> None:
        while not self._stopped.is_set():
            pause_s = AGAIN_S
            try:
                asyncio.run(self._live())
            except asyncio.CancelledError:
                pass
            except Exception as error:  # noqa: BLE001  nobody has a list of what a library raises about a foreign server
                self._counts["source_failures"] += 1
                self._lost, is_refused = reason_of(error)
                pause_s = REFUSED_S if is_refused else AGAIN_S
            self._put(Message(self._settings.name, dict.fromkeys(self._tags), None, self._clock.now_ms()))
            self._stopped.wait(pause_s)

    async def _live(self) -> None:
        """Connect once, and pass on values until that is over; a loop of its own ends what a client leaves behind."""
        task = asyncio.current_task()
        if task:
            self._running = asyncio.get_running_loop(), task
        if self._stopped.is_set():
            return
        self._session = Session(self._settings, self._tags, clock=self._clock, put=self._take)
        await self._session.run()

    def _take(self, messages: list[Message]) -> None:
        """Take the messages of a publish; without any the server has said that it is there."""
        self._lost = None
        for message in messages:
            self._put(message)

    def _put(self, message: Message) -> None:
        """Wait for room, and let the server wait; one that gives us up is connected to anew, and read."""
        while not self._stopped.is_set():
            with contextlib.suppress(queue.Full):
                self._messages.put(message, timeout=1)
                return
