"""An HTTP server by a script: whole answers, halves of them, and connections that end."""

import json
import socket
import ssl
import struct
import threading
import zlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self

HOST: Final = "127.0.0.1"
END: Final = b"\r\n\r\n"
_NEVER_S: Final = 30.0

_REASONS: Final = {200: "OK", 400: "Bad Request"}


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request that came; number and connection count from 0."""

    number: int
    connection: int
    start: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def operation(self) -> str:
        """The operation, as AWS writes it: `UpdateItem`."""
        return self.headers.get("x-amz-target", "").rpartition(".")[2]

    @property
    def json(self) -> Any:  # noqa: ANN401  a request is any JSON
        """The request."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """Bytes for the client; closed and reset end the connection then.

    drip_s: so long lies between two bytes; late_s: so long before the first one.
    """

    content: bytes
    closed: bool = False
    reset: bool = False
    late_s: float = 0
    drip_s: float = 0


class _Tls(Protocol):
    """The used part of an `ssl.SSLContext`."""

    def wrap_socket(self, connection: socket.socket, /, *, server_side: bool) -> ssl.SSLSocket:
        """Shake hands."""


Script = Callable[[ReceivedRequest], ScriptedAnswer]

SILENCE: Final = ScriptedAnswer(b"", late_s=_NEVER_S)
HUNG_UP: Final = ScriptedAnswer(b"", closed=True)


def whole(
    content: object = None, status: int = 200, *, crc: int | None = None, more: Mapping[str, str] | None = None
) -> bytes:
    """Return a whole response: of JSON, or of bytes as they are; its checksum is right, unless it is given."""
    body = content if isinstance(content, bytes) else json.dumps({} if content is None else content).encode()
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Crc32": str(zlib.crc32(body) if crc is None else crc),
        "Content-Length": str(len(body)),
        **(more or {}),
    }
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}", *(f"{n}: {value}" for n, value in headers.items())]
    return "\r\n".join(lines).encode() + END + body


def refused(code: str, status: int = 400, **members: object) -> bytes:
    """Return a whole response that names an error."""
    return whole({"__type": code, "message": f"{code}, it says", **members}, status)


def in_turn(*answers: bytes | ScriptedAnswer) -> Script:
    """Answer each request with the next of them; the last one stays."""
    return lambda asked: _answer(answers[min(asked.number, len(answers) - 1)])


def _answer(answer: bytes | ScriptedAnswer) -> ScriptedAnswer:
    return answer if isinstance(answer, ScriptedAnswer) else ScriptedAnswer(answer)


@dataclass(slots=True)
class ScriptedServer(AbstractContextManager["ScriptedServer"]):
    """Serves while the context lasts, each connection in a thread."""

    script: Script
    tls: _Tls | None = None
    requests: list[ReceivedRequest] = field(default_factory=list)
    _listening: socket.socket = field(default_factory=lambda: socket.create_server((HOST, 0), backlog=256))
    _open: dict[socket.socket, threading.Thread] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: threading.Event = field(default_factory=threading.Event)
    _connections: int = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.end_connections()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._listening.getsockname()[1])

    @property
    def url(self) -> str:
        """The endpoint it listens on."""
        return f"{'https' if self.tls else 'http'}://{HOST}:{self.port}"

    @property
    def operations(self) -> list[str]:
        """The called operations, in order."""
        return [asked.operation for asked in self.requests]

    @property
    def connections(self) -> int:
        """The number of connections so far."""
        return self._connections

    def end_connections(self, *, reset: bool = False) -> None:
        """Close all that are open, or reset them."""
        with self._lock:
            ending, self._open = self._open, {}
        for connection, thread in ending.items():
            _end(connection, reset=reset)
            thread.join()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._connections += 1
            threading.Thread(target=self._serve, args=(connection, self._connections - 1), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open[connection] = threading.current_thread()
            self._converse(connection, number)
        except OSError:
            pass  # the client has ended it
        finally:
            with self._lock:
                self._open.pop(connection, None)
            connection.close()

    def _converse(self, connection: socket.socket, number: int) -> None:
        while (asked := self._read(connection, number)) is not None:
            answer = self.script(asked)
            self._write(connection, answer)
            if answer.closed or answer.reset:
                _end(connection, reset=answer.reset)
                return

    def _read(self, connection: socket.socket, number: int) -> ReceivedRequest | None:
        got = b""
        while END not in got:
            if not (more := connection.recv(65536)):
                return None
            got += more
        head, _, body = got.partition(END)
        start, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        while len(body) < int(headers.get("content-length", "0")):
            if not (more := connection.recv(1 << 20)):
                return None
            body += more
        with self._lock:
            asked = ReceivedRequest(len(self.requests), number, start, headers, body)
            self.requests.append(asked)
        return asked

    def _write(self, connection: socket.socket, answer: ScriptedAnswer) -> None:
        self._over.wait(answer.late_s)
        if not answer.drip_s:
            connection.sendall(answer.content)
            return
        for byte in answer.content:
            connection.sendall(bytes([byte]))
            self._over.wait(answer.drip_s)


def _end(connection: socket.socket, *, reset: bool) -> None:
    """Wake up the thread that reads; it closes, which sends a reset where nothing may linger."""
    with suppress(OSError):  # the client was faster
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RD if reset else socket.SHUT_RDWR)
