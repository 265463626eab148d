"""A broker of MQTT 3.1.1, as small as a test needs it, which does what a script says when something is published.

https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/mqtt-v3.1.1.html
"""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Final, NamedTuple, Protocol, Self

HOST: Final = "127.0.0.1"
_REFUSED: Final = 0x80
_NOT_AUTHORISED: Final = 5
_CHUNK: Final = 65_536

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 13, 14
QOS: Final = 0b0110
RETAIN: Final = 0b0001


class Packet(NamedTuple):
    """A packet; flags: the lower half of its first byte."""

    kind: int
    flags: int
    content: bytes


class Publication(NamedTuple):
    """Content of a PUBLISH; number: the packet's, None with QoS 0."""

    topic: str
    content: bytes
    number: int | None
    is_retained: bool


class Connected(Protocol):
    """The used part of a socket."""

    def sendall(self, content: bytes, /) -> None:
        """Send."""

    def shutdown(self, how: int, /) -> None:
        """End it."""


Script = Callable[[Publication], str]
"""Fate of a message of QoS 1: `acknowledge`; `acknowledge another`; `lose` the answer; `hang up`."""


class Broker(AbstractContextManager["Broker"]):
    """Listens while the context lasts. tls: of the server. lets: whether who connects may, by the bytes of CONNECT."""

    def __init__(
        self,
        script: Script = lambda _: "acknowledge",
        *,
        tls: ssl.SSLContext | None = None,
        lets: Callable[[bytes], bool] = lambda _: True,
        refuses: str | None = None,
    ) -> None:
        """Refuse subscriptions to the filter `refuses`."""
        self._script, self._tls, self._lets, self._refuses = script, tls, lets, refuses
        self._kept: dict[str, bytes] = {}
        self._clients: dict[Connected, list[str]] = {}
        self._lock = threading.RLock()
        self._thaw = threading.Event()
        self._thaw.set()
        self._is_open = True
        self.connections = 0
        self.published: list[Publication] = []

    def __enter__(self) -> Self:
        self._server = socket.create_server((HOST, 0))
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_open = False
        self._thaw.set()
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.hang_up()
        self._thread.join()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        port: int = self._server.getsockname()[1]
        return port

    @property
    def subscribed(self) -> set[str]:
        """The filters of all who are connected."""
        with self._lock:
            return {one for filters in self._clients.values() for one in filters}

    def hang_up(self) -> None:
        """End all connections."""
        with self._lock:
            for client in [*self._clients]:
                with suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stand still: connections stay, and nothing is read or written."""
        self._thaw.clear()
        try:
            yield
        finally:
            self._thaw.set()

    def say(self, topic: str, content: bytes, *, number: int | None = None, is_retained: bool = False) -> None:
        """Publish something, as if a client had; with QoS 1 if it has a number."""
        self._thaw.wait()
        with self._lock:
            if is_retained:
                self._kept[topic] = content
            for client, filters in [*self._clients.items()]:
                if any(_matches(one, topic) for one in filters):
                    self._send(client, publish(Publication(topic, content, number, is_retained=False)))

    def begin(self, client: Connected) -> None:
        """Have somebody connect."""
        with self._lock:
            self._clients[client] = []

    def end(self, client: Connected) -> None:
        """Forget somebody."""
        with self._lock:
            self._clients.pop(client, None)

    def _accept(self) -> None:
        while self._is_open:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            with self._tls.wrap_socket(client, server_side=True) if self._tls else client as secured:
                self.begin(secured)
                try:
                    self._read(secured)
                finally:
                    self.end(secured)
        except OSError:
            client.close()

    def _read(self, client: socket.socket) -> None:
        received = b""
        while more := client.recv(_CHUNK):
            self._thaw.wait()
            received += more
            while found := cut(received):
                first, received = found
                if not self.answer(client, first):
                    return

    def answer(self, client: Connected, found: Packet) -> bool:
        """Answer a packet; return False to end the connection."""
        match found.kind:
            case kind if kind == CONNECT:
                self.connections += 1
                is_welcome = self._lets(found.content)
                self._send(client, _packet(CONNACK, 0, bytes([0, 0 if is_welcome else _NOT_AUTHORISED])))
                return is_welcome
            case kind if kind == SUBSCRIBE:
                self._subscribe(client, found.content)
            case kind if kind == PUBLISH:
                return self._take(client, _publication(found))
            case kind if kind == PINGREQ:
                self._send(client, _packet(PINGRESP))
            case kind if kind == DISCONNECT:
                return False
        return True

    def _subscribe(self, client: Connected, content: bytes) -> None:
        filters, at = [], 2
        while at < len(content):
            one, at = read_text(content, at)
            filters.append(one)
            at += 1
        with self._lock:
            codes = bytes(_REFUSED if one == self._refuses else 1 for one in filters)
            self._send(client, _packet(SUBACK, 0, content[:2] + codes))
            self._clients[client] += filters
            for topic, kept in self._kept.items():
                if any(_matches(one, topic) for one in filters):
                    self._send(client, publish(Publication(topic, kept, None, is_retained=True)))

    def _take(self, client: Connected, found: Publication) -> bool:
        doing = self._script(found)
        with self._lock:
            self.published.append(found)
        self.say(found.topic, found.content)
        if found.number is not None and doing.startswith("acknowledge"):
            number = found.number if doing == "acknowledge" else found.number + 1
            self._send(client, _packet(PUBACK, 0, struct.pack("!H", number)))
        return doing != "hang up"

    def _send(self, client: Connected, content: bytes) -> None:
        with self._lock, suppress(OSError):
            client.sendall(content)


def _matches(filter_: str, topic: str) -> bool:
    parts, levels = filter_.split("/"), topic.split("/")
    for number, part in enumerate(parts):
        if part == "#":
            return True
        if number >= len(levels) or part not in {"+", levels[number]}:
            return False
    return len(parts) == len(levels)


def _packet(kind: int, flags: int = 0, content: bytes = b"") -> bytes:
    """Return the bytes of a packet."""
    return bytes([kind << 4 | flags]) + _length(len(content)) + content


def text(found: str) -> bytes:
    """Return the bytes of a text; a surrogate stands for a byte that is no UTF-8."""
    content = found.encode(errors="surrogateescape")
    return struct.pack("!H", len(content)) + content


def read_text(content: bytes, at: int = 0) -> tuple[str, int]:
    """Return a text, and where it ends."""
    [size] = struct.unpack_from("!H", content, at)
    return content[at + 2 : at + 2 + size].decode(), at + 2 + size


def _publication(found: Packet) -> Publication:
    """Return the content of a PUBLISH."""
    topic, at = read_text(found.content)
    if not found.flags & QOS:
        return Publication(topic, found.content[at:], None, bool(found.flags & RETAIN))
    [number] = struct.unpack_from("!H", found.content, at)
    return Publication(topic, found.content[at + 2 :], number, bool(found.flags & RETAIN))


def publish(found: Publication) -> bytes:
    """Return the bytes of a PUBLISH, with QoS 1 if it has a number."""
    number = b"" if found.number is None else struct.pack("!H", found.number)
    flags = (0 if found.number is None else 0b0010) | (RETAIN if found.is_retained else 0)
    return _packet(PUBLISH, flags, text(found.topic) + number + found.content)


def cut(received: bytes) -> tuple[Packet, bytes] | None:
    """Return the first packet, and what is behind it; None: it is not whole yet."""
    size = 0
    for number, digit in enumerate(received[1:5]):
        size |= (digit & 0x7F) << 7 * number
        if digit < 0x80:  # noqa: PLR2004  the bit that says that there is more
            start = 2 + number
            first = Packet(received[0] >> 4, received[0] & 0x0F, received[start : start + size])
            return (first, received[start + size :]) if len(received) >= start + size else None
    return None


def _length(size: int) -> bytes:
    encoded = bytearray()
    while True:
        size, digit = divmod(size, 128)
        encoded.append(digit | (0x80 if size else 0))
        if not size:
            return bytes(encoded)
