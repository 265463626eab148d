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

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9
CLEAN_SESSION: Final = 0x02
REFUSED: Final = 0x80
BINARY, CLOSE = 0x2, 0x8
KEEP_ALIVE_S: Final = 60
TIMEOUT_S: Final = 15.0


class Refused(Exception):
    """The broker does not let this subscriber do that."""


class Subscriber(AbstractContextManager["Subscriber"]):
    """Connected and subscribed while the context lasts, by what `GET /board/{company}/changes` answered."""

    def __init__(self, changes: dict[str, str], *, qos: int = 1) -> None:
        self._changes, self._qos = changes, qos
        self._bytes = b""

    def __enter__(self) -> Self:
        # As browsers do, which take every name below `localhost` for this machine.
        self._socket = socket.create_connection(("127.0.0.1", urlsplit(self._changes["url"]).port), TIMEOUT_S)
        try:
            self._subscribe()
        except BaseException:
            self._socket.close()
            raise
        return self

    def _subscribe(self) -> None:
        self._shake_hands()
        client_id = _text(self._changes["clientId"])
        self._send(CONNECT, 0, _text("MQTT") + bytes([4, CLEAN_SESSION]) + struct.pack("!H", KEEP_ALIVE_S) + client_id)
        self._require(CONNACK, last=0)
        self._send(SUBSCRIBE, 2, struct.pack("!H", 1) + _text(self._changes["topic"]) + bytes([self._qos]))
        self._require(SUBACK, last=self._qos)

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def next(self, *, within_s: float = TIMEOUT_S) -> tuple[str, dict[str, Any]]:
        """Return the topic and the body of the next message.

        Raises:
            TimeoutError: there is none in time.

        """
        until = time.monotonic() + within_s
        while True:
            self._socket.settimeout(max(0.01, until - time.monotonic()))
            kind, flags, content = self._packet()
            if kind == PUBLISH:
                return self._message(flags, content)

    def _message(self, flags: int, content: bytes) -> tuple[str, dict[str, Any]]:
        length = struct.unpack("!H", content[:2])[0]
        topic, rest = content[2 : 2 + length].decode(), content[2 + length :]
        if flags & 0b0110:  # QoS 1: a packet's id, which is acknowledged
            self._send(PUBACK, 0, rest[:2])
            rest = rest[2:]
        body: dict[str, Any] = json.loads(rest)
        return topic, body

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
        packet = bytes([kind << 4 | flags]) + _length(len(content)) + content
        mask = os.urandom(4)
        size = bytes([0x80 | len(packet)]) if len(packet) < 126 else b"\xfe" + struct.pack("!H", len(packet))
        masked = bytes(byte ^ mask[number % 4] for number, byte in enumerate(packet))
        self._socket.sendall(bytes([0x80 | BINARY]) + size + mask + masked)

    def _packet(self) -> tuple[int, int, bytes]:
        """Return the kind, the flags and the content of the next packet; a frame may have several, or a part of one."""
        while (cut := _cut(self._bytes)) is None:
            self._bytes += self._frame()
        (first, content), self._bytes = cut
        return first >> 4, first & 0x0F, content

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


def _text(text: str) -> bytes:
    return struct.pack("!H", len(text.encode())) + text.encode()


def _length(size: int) -> bytes:
    encoded = bytearray()
    while True:
        size, digit = divmod(size, 128)
        encoded.append(digit | (0x80 if size else 0))
        if not size:
            return bytes(encoded)


def _cut(received: bytes) -> tuple[tuple[int, bytes], bytes] | None:
    """Return the first byte and the content of the first packet, and what is behind it; None: it is not whole yet."""
    size = 0
    for number, digit in enumerate(received[1:5]):
        size |= (digit & 0x7F) << 7 * number
        if digit < 0x80:
            start = 2 + number
            whole = len(received) >= start + size
            return ((received[0], received[start : start + size]), received[start + size :]) if whole else None
    return None
