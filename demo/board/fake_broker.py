"""The broker of screens, in the process of one page at a time, that can lose, hold and double messages."""

import json
from dataclasses import dataclass
from typing import Final, Literal

from playwright.sync_api import BrowserContext, WebSocketRoute

from andon_gateway.testing.broker import PINGREQ, Broker, Connected, Packet, cut

URL: Final = "wss://live.andon.test/mqtt"
TOPIC: Final = "andon/board/acme/#"

Delivery = Literal["now", "never", "held"]


@dataclass(frozen=True, eq=False)
class _Screen:
    socket: WebSocketRoute

    def sendall(self, content: bytes) -> None:
        self.socket.send(content)

    def shutdown(self, _: int) -> None:
        self.socket.close()


class FakeBroker(Broker):
    """Delivers rows of the board to whoever has subscribed.

    delivery: `held` messages wait for `release`. answers_pings: without answers a socket is dead, though nobody
    closed it. refuses: nobody can connect.
    """

    def __init__(self) -> None:
        super().__init__()
        self.delivery: Delivery = "now"
        self.answers_pings, self.refuses = True, False
        self.held: list[bytes] = []

    def serve(self, context: BrowserContext) -> None:
        """Serve the pages of a context."""
        context.route_web_socket(f"{URL}*", self._connected)

    def publish(self, row: object) -> None:
        """Deliver a row, or hold it."""
        message = json.dumps(row).encode()
        if self.delivery == "held":
            self.held.append(message)
        elif self.delivery == "now":
            self._deliver(message)

    def release(self, messages: list[bytes]) -> None:
        """Deliver messages in the order of the list, as often as they are in it; none is held any more."""
        for one in messages:
            self._deliver(one)
        self.held.clear()

    def kill(self) -> None:
        """End all connections."""
        self.hang_up()
        self._clients.clear()

    def answer(self, client: Connected, found: Packet) -> bool:
        """Answer a packet."""
        return (found.kind == PINGREQ and not self.answers_pings) or super().answer(client, found)

    def _deliver(self, message: bytes) -> None:
        self.say(TOPIC.replace("#", "x"), message, number=1)

    def _connected(self, socket: WebSocketRoute) -> None:
        if self.refuses:
            socket.close()
            return
        screen = _Screen(socket)
        self.begin(screen)
        socket.on_message(lambda message: self._received(screen, message))
        socket.on_close(lambda _code, _reason: self._closed(screen))

    def _received(self, screen: _Screen, message: str | bytes) -> None:
        assert isinstance(message, bytes)  # noqa: S101  MQTT is binary
        if found := cut(message):
            self.answer(screen, found[0])

    def _closed(self, screen: _Screen) -> None:
        self.end(screen)
        screen.socket.close()
