"""A broker of MQTT 3.1.1, as small as a test needs it, which does what a script says when something is published."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Final, Self

from lab.gateway.packets import (
    CONNACK,
    CONNECT,
    DISCONNECT,
    PINGREQ,
    PINGRESP,
    PUBACK,
    PUBLISH,
    SUBACK,
    SUBSCRIBE,
    Packet,
    Publication,
    cut,
    packet,
    publication,
    publish,
    read_text,
)

HOST: Final = "127.0.0.1"
REFUSED: Final = 0x80
NOT_AUTHORISED: Final = 5
CHUNK: Final = 65_536

Script = Callable[[Publication], str]
"""What to do with a message of QoS 1: `acknowledge`; `acknowledge another`; `lose` the answer; `hang up`."""


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
        self._clients: dict[socket.socket, list[str]] = {}
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
            for client in self._clients:
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

    def say(self, topic: str, content: bytes, *, is_retained: bool = False) -> None:
        """Publish something, as if a client had."""
        self._thaw.wait()
        with self._lock:
            if is_retained:
                self._kept[topic] = content
            for client, filters in self._clients.items():
                if any(_matches(one, topic) for one in filters):
                    self._send(client, publish(Publication(topic, content, None, is_retained=False)))

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
                with self._lock:
                    self._clients[secured] = []
                try:
                    self._read(secured)
                finally:
                    with self._lock:
                        del self._clients[secured]
        except OSError:
            client.close()

    def _read(self, client: socket.socket) -> None:
        received = b""
        while more := client.recv(CHUNK):
            self._thaw.wait()
            received += more
            while found := cut(received):
                first, received = found
                if not self._answer(client, first):
                    return

    def _answer(self, client: socket.socket, found: Packet) -> bool:
        """Answer a packet; return False to end the connection."""
        match found.kind:
            case kind if kind == CONNECT:
                self.connections += 1
                is_welcome = self._lets(found.content)
                self._send(client, packet(CONNACK, 0, bytes([0, 0 if is_welcome else NOT_AUTHORISED])))
                return is_welcome
            case kind if kind == SUBSCRIBE:
                self._subscribe(client, found.content)
            case kind if kind == PUBLISH:
                return self._take(client, publication(found))
            case kind if kind == PINGREQ:
                self._send(client, packet(PINGRESP))
            case kind if kind == DISCONNECT:
                return False
        return True

    def _subscribe(self, client: socket.socket, content: bytes) -> None:
        filters, at = [], 2
        while at < len(content):
            one, at = read_text(content, at)
            filters.append(one)
            at += 1
        with self._lock:
            codes = bytes(REFUSED if one == self._refuses else 1 for one in filters)
            self._send(client, packet(SUBACK, 0, content[:2] + codes))
            self._clients[client] += filters
            for topic, kept in self._kept.items():
                if any(_matches(one, topic) for one in filters):
                    self._send(client, publish(Publication(topic, kept, None, is_retained=True)))

    def _take(self, client: socket.socket, found: Publication) -> bool:
        doing = self._script(found)
        with self._lock:
            self.published.append(found)
        self.say(found.topic, found.content)
        if found.number is not None and doing.startswith("acknowledge"):
            number = found.number if doing == "acknowledge" else found.number + 1
            self._send(client, packet(PUBACK, 0, struct.pack("!H", number)))
        return doing != "hang up"

    def _send(self, client: socket.socket, content: bytes) -> None:
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
