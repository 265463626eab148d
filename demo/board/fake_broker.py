"""A broker of MQTT 3.1.1 for one page at a time, in this process, that can lose, hold and double messages."""

import json
from dataclasses import dataclass, field
from typing import Final, Literal

from playwright.sync_api import BrowserContext, WebSocketRoute

from lab.gateway.packets import (
    CONNACK,
    CONNECT,
    PINGREQ,
    PINGRESP,
    SUBACK,
    SUBSCRIBE,
    Publication,
    packet,
    publish,
)

URL: Final = "wss://live.andon.test/mqtt"
TOPIC: Final = "andon/board/acme/#"

TAKEN: Final = packet(CONNACK, content=bytes(2))

Delivery = Literal["now", "never", "held"]


@dataclass
class FakeBroker:
    """Delivers rows of the board to whoever has subscribed.

    delivery: `held` messages wait for `release`. answers_pings: without answers a socket is dead, though nobody
    closed it. refuses: nobody can connect.
    """

    delivery: Delivery = "now"
    answers_pings: bool = True
    refuses: bool = False
    held: list[bytes] = field(default_factory=list)
    connections: int = 0
    _subscribed: list[WebSocketRoute] = field(default_factory=list)

    def serve(self, context: BrowserContext) -> None:
        """Serve the pages of a context."""
        context.route_web_socket(f"{URL}*", self._connected)

    def publish(self, row: object) -> None:
        """Deliver a row, or hold it."""
        message = _publish(json.dumps(row).encode())
        if self.delivery == "held":
            self.held.append(message)
        elif self.delivery == "now":
            self.send(message)

    def release(self, packets: list[bytes]) -> None:
        """Deliver packets that were held, in the order of the list, as often as they are in it."""
        for one in packets:
            self.send(one)
        self.held.clear()

    def send(self, sent: bytes) -> None:
        """Send bytes to whoever has subscribed."""
        for socket in self._subscribed:
            socket.send(sent)

    def kill(self) -> None:
        """End all connections."""
        killed, self._subscribed = self._subscribed, []
        for socket in killed:
            socket.close()

    def _connected(self, socket: WebSocketRoute) -> None:
        self.connections += 1
        if self.refuses:
            socket.close()
            return
        socket.on_message(lambda message: self._received(socket, message))
        socket.on_close(lambda _code, _reason: self._closed(socket))

    def _received(self, socket: WebSocketRoute, message: str | bytes) -> None:
        assert isinstance(message, bytes)  # noqa: S101  MQTT is binary
        kind = message[0] >> 4
        if kind == CONNECT:
            socket.send(TAKEN)
        elif kind == SUBSCRIBE:
            self._subscribed.append(socket)
            socket.send(packet(SUBACK, content=message[2:4] + bytes([1])))
        elif kind == PINGREQ and self.answers_pings:
            socket.send(packet(PINGRESP))

    def _closed(self, socket: WebSocketRoute) -> None:
        if socket in self._subscribed:
            self._subscribed.remove(socket)
        socket.close()


def _publish(payload: bytes) -> bytes:
    """Return a message of QoS 1."""
    return publish(Publication(TOPIC.removesuffix("#") + "x", payload, 1, is_retained=False))
