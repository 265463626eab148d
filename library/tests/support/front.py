"""The front before a server of HTTP/1.1 that answers with the request."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from andon.tools.stack import emulator, front
from andon.tools.stack.processes import PATIENCE_S, eventually


@dataclass(frozen=True, slots=True)
class Fronted:
    """A front that runs, and the requests through it: method and path of each request."""

    port: int
    seen: list[str]
    routes: front.Routes

    def connect(self) -> socket.socket:
        """Open a connection."""
        return socket.create_connection((emulator.HOST, self.port), timeout=PATIENCE_S)

    def send(self, raw: bytes) -> bytes:
        """Send bytes on a connection of its own and return all that comes back until it is closed."""
        with self.connect() as connection:
            connection.sendall(raw)
            return b"".join(iter(lambda: connection.recv(65_536), b""))


class Echo(BaseHTTPRequestHandler):
    """Answers 201 with the method, the path, the headers and the length of the body, as JSON.

    A WebSocket is refused at `/refused`; elsewhere it begins with that JSON in a line, and then sends back what comes.
    """

    protocol_version = "HTTP/1.1"
    seen: list[str]

    def answer(self) -> None:
        self.seen.append(f"{self.command} {self.path}")
        body = self._body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        said = {"method": self.command, "path": self.path, "headers": headers, "body": len(body)}
        if "upgrade" in headers and self.path != "/refused":
            self._echo(json.dumps(said).encode())
        else:
            self._write(json.dumps(said).encode())

    def _echo(self, first: bytes) -> None:
        self.close_connection = True
        self.send_response(101)
        self.send_header("connection", "Upgrade")
        self.send_header("upgrade", "websocket")
        self.end_headers()
        self.wfile.write(first + b"\n")
        while piece := self.connection.recv(65_536):
            self.wfile.write(piece)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_OPTIONS = answer  # noqa: N815
    do_PATCH = do_TRACE = do_CONNECT = do_get = answer  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            whole = b""
            while size := int(self.rfile.readline(), 16):
                whole += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return whole
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def _write(self, text: bytes) -> None:
        self.send_response(201)
        self.send_header("etag", '"1"')
        if "chunked" in self.path:
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in (text[:10], text[10:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
            return
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def fronted(emulator_port: int | None = None) -> Iterator[Fronted]:
    """Run both, with one route; before another port than the server's, where that is given."""
    seen: list[str] = []
    behind = ThreadingHTTPServer((emulator.HOST, 0), type("EchoHere", (Echo,), {"seen": seen}))
    behind.daemon_threads = True
    running = Fronted(emulator.free_port(), seen, {"/": "/_aws/execute-api/abc/"})
    loop = asyncio.new_event_loop()
    task = loop.create_task(front.run(running.port, emulator_port or behind.server_address[1], lambda: running.routes))
    threads = [threading.Thread(target=behind.serve_forever, args=[0.02], daemon=True), _loop_thread(loop, task)]
    for thread in threads:
        thread.start()
    try:
        assert eventually(lambda: _answers(running.port))
        yield running
    finally:
        loop.call_soon_threadsafe(task.cancel)
        behind.shutdown()
        for thread in threads:
            thread.join(timeout=PATIENCE_S)
        behind.server_close()


def _loop_thread(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[None]") -> threading.Thread:
    async def until_cancelled() -> None:
        await asyncio.wait([task])
        others = asyncio.all_tasks() - {task, asyncio.current_task()}
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def run() -> None:
        loop.run_until_complete(until_cancelled())
        loop.close()

    return threading.Thread(target=run, daemon=True)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((emulator.HOST, port)) == 0
