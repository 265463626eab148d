"""A subscriber of MQTT 3.1.1 over a WebSocket, as small as a test needs it: one filter, messages of QoS 0 and 1.

https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html
"""

import base64
import json
import os
import socket
import struct
import time
from contextlib import AbstractContextManager
from typing import Any, Final, Self
from urllib.parse import urlsplit

from andon.tools.stack.processes import PATIENCE_S
from lab.gateway.packets import (
    CONNACK,
    CONNECT,
    PUBACK,
    PUBLISH,
    SUBACK,
    SUBSCRIBE,
    Packet,
    cut,
    packet,
    publication,
    text,
)

CLEAN_SESSION: Final = 0x02
REFUSED: Final = 0x80
BINARY, CLOSE = 0x2, 0x8
KEEP_ALIVE_S: Final = 60


class Refused(Exception):
    """The broker does not let this subscriber do that."""


class Subscriber(AbstractContextManager["Subscriber"]):
    """Connected and subscribed while the context lasts, by what `GET /board/{company}/changes` answered."""

    def __init__(self, changes: dict[str, str], *, qos: int = 1) -> None:
        self._changes, self._qos = changes, qos
        self._bytes = b""

    def __enter__(self) -> Self:
        # As browsers do, which take every name below `localhost` for this machine.
        self._socket = socket.create_connection(("127.0.0.1", urlsplit(self._changes["url"]).port), PATIENCE_S)
        try:
            self._subscribe()
        except BaseException:
            self._socket.close()
            raise
        return self

    def _subscribe(self) -> None:
        self._shake_hands()
        client_id = text(self._changes["clientId"])
        self._send(CONNECT, 0, text("MQTT") + bytes([4, CLEAN_SESSION]) + struct.pack("!H", KEEP_ALIVE_S) + client_id)
        self._require(CONNACK, last=0)
        self._send(SUBSCRIBE, 2, struct.pack("!H", 1) + text(self._changes["topic"]) + bytes([self._qos]))
        self._require(SUBACK, last=self._qos)

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def next(self, *, within_s: float = PATIENCE_S) -> tuple[str, dict[str, Any]]:
        """Return the topic and the body of the next message.

        Raises:
            TimeoutError: there is none in time.

        """
        until = time.monotonic() + within_s
        while True:
            self._socket.settimeout(max(0.01, until - time.monotonic()))
            found = self._packet()
            if found.kind == PUBLISH:
                return self._message(found)

    def _message(self, found: Packet) -> tuple[str, dict[str, Any]]:
        message = publication(found)
        if message.number is not None:
            self._send(PUBACK, 0, struct.pack("!H", message.number))
        body: dict[str, Any] = json.loads(message.content)
        return message.topic, body

    def _require(self, kind: int, *, last: int) -> None:
        got, _, content = self._packet()
        if got != kind or content[-1] != last:
            raise Refused(f"packet {got}, {content.hex()}")

    def _shake_hands(self) -> None:
        url = urlsplit(self._changes["url"])
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET {url.path}?{url.query} HTTP/1.1", f"Host: {url.netloc}", "Upgrade: websocket"]
        head += ["Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        self._socket.sendall("\r\n".join([*head, "Sec-WebSocket-Protocol: mqtt", "", ""]).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            if not (more := self._socket.recv(1)):
                raise Refused("no handshake")
            answer += more
        status = answer.split(b"\r\n")[0].decode()
        if " 101 " not in status:
            raise Refused(status)

    def _send(self, kind: int, flags: int, content: bytes) -> None:
        sent = packet(kind, flags, content)
        mask = os.urandom(4)
        size = bytes([0x80 | len(sent)]) if len(sent) < 126 else b"\xfe" + struct.pack("!H", len(sent))
        masked = bytes(byte ^ mask[number % 4] for number, byte in enumerate(sent))
        self._socket.sendall(bytes([0x80 | BINARY]) + size + mask + masked)

    def _packet(self) -> Packet:
        """Return the next packet; a frame may have several, or a part of one."""
        while (found := cut(self._bytes)) is None:
            self._bytes += self._frame()
        first, self._bytes = found
        return first

    def _frame(self) -> bytes:
        first, size = self._read(2)
        if size == 126:
            size = struct.unpack("!H", self._read(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", self._read(8))[0]
        content = self._read(size)
        if first & 0x0F == CLOSE:
            raise Refused("the broker closed the connection")
        return content if first & 0x0F in {0, BINARY} else b""

    def _read(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            if not (more := self._socket.recv(size - len(content))):
                raise Refused("the connection ended")
            content += more
        return content
