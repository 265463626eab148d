"""A broker of MQTT 3.1.1 for one page at a time, in this process, that can lose, hold and double messages."""

import json
from dataclasses import dataclass, field
from typing import Final, Literal

from playwright.sync_api import BrowserContext, WebSocketRoute

URL: Final = "wss://live.andon.test/mqtt"
TOPIC: Final = "andon/board/acme/#"

CONNACK: Final = bytes([0x20, 2, 0, 0])
PINGRESP: Final = bytes([0xD0, 0])
CONNECT, SUBSCRIBE, PINGREQ = 1, 8, 12

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
        packet = _publish(json.dumps(row).encode())
        if self.delivery == "held":
            self.held.append(packet)
        elif self.delivery == "now":
            self.send(packet)

    def release(self, packets: list[bytes]) -> None:
        """Deliver packets that were held, in the order of the list, as often as they are in it."""
        for packet in packets:
            self.send(packet)
        self.held.clear()

    def send(self, packet: bytes) -> None:
        """Send bytes to whoever has subscribed."""
        for socket in self._subscribed:
            socket.send(packet)

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
            socket.send(CONNACK)
        elif kind == SUBSCRIBE:
            self._subscribed.append(socket)
            socket.send(bytes([0x90, 3, message[2], message[3], 1]))
        elif kind == PINGREQ and self.answers_pings:
            socket.send(PINGRESP)

    def _closed(self, socket: WebSocketRoute) -> None:
        if socket in self._subscribed:
            self._subscribed.remove(socket)
        socket.close()


def _publish(payload: bytes) -> bytes:
    """Return a message of QoS 1."""
    topic = TOPIC.removesuffix("#").encode() + b"x"
    body = len(topic).to_bytes(2) + topic + (1).to_bytes(2) + payload
    return bytes([0x32]) + _length(len(body)) + body


def _length(length: int) -> bytes:
    """Return a length as 7 bits a byte, the lowest first."""
    encoded = bytearray()
    while True:
        length, low = divmod(length, 128)
        encoded.append(low | (0x80 if length else 0))
        if not length:
            return bytes(encoded)
