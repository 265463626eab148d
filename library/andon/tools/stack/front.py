"""The front on the public port: it lets the HTTP API, sign-in and live connections through, and nothing else.

The emulator takes any unsigned request for the API of AWS, such as `POST /2015-03-31/functions`, and runs the code in
it. Every web page that a browser on this machine shows could send one. So the emulator listens on a port that only
files of the owner name, and the front has the port that everybody knows. (The emulator's own switch, AUTH=true, does
not help: it takes the key `test` with any signature, also in a query; and it enforces its own model of IAM.)

Run by the emulator's process (`-m andon.tools.stack.front PORT ROUTES`): it ends when that does, however that ends.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Final
from uuid import uuid4

from andon.tools.stack import http1, live, sign_in_paths
from andon.tools.stack.http1 import CopyBody, Malformed, MessageHead

HOST: Final = "127.0.0.1"
# The emulator's is 75 s: a connection that the front keeps open is never one that the emulator has just closed.
IDLE_S: Final = 60
BODY_S: Final = 60  # of one request, from its head on

Routes = dict[str, str]
"""The allow-list: the beginning of a public path -> that of the emulator's path, where both end in a slash.

A path without a slash at its end is that path only, and one of a sign-in (`sign_in_paths`).
"""

# Those of an HTTP API. After a CONNECT the emulator reads the body as the next request, which nobody here has seen.
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class FrontRefused(Exception):
    """The front answers by itself, and closes the connection."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class RoutesFile:
    """The allow-list as a file says it; read again when the file is another one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self._routes: Routes = {}

    def __call__(self) -> Routes:
        """Return the current routes of the file; without a file, none."""
        try:
            inode = self._path.stat().st_ino  # the file is replaced, never changed
            if inode != self._read:
                self._routes = json.loads(self._path.read_text())
                self._read = inode
        except FileNotFoundError:
            return {}
        return self._routes


class Front:
    """Serves one connection after the other, each with a connection of its own to the emulator."""

    def __init__(self, emulator_port: int, routes: Callable[[], Routes]) -> None:
        self._emulator_port = emulator_port
        self._routes = routes

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Handle one connection of a client, request after request."""
        behind = _Behind(self._emulator_port)
        try:
            while await self._one(reader, writer, behind):
                pass
        except (FrontRefused, Malformed) as refused:
            await _answer(writer, refused)
        except (OSError, EOFError, asyncio.LimitOverrunError):
            pass  # one of the two sides is gone
        finally:
            behind.close()
            await _close(writer)

    async def _one(self, reader: StreamReader, writer: StreamWriter, behind: "_Behind") -> bool:
        """Handle one request; False when it was the connection's last."""
        head = await _head_in_time(reader)
        if head is None:
            return False
        if live.wants(head):
            await self._connect(head, reader, writer, behind)
            return False
        method, target, version = _start_line(head)
        behind_of, expected = self._behind_of(method, target, head)
        copy_body = http1.request_body(head)
        if head.all("expect"):
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if expected is not None:
            copy_body = await _checked(expected, reader)
        await behind.send(head.encoded(f"{method} {behind_of} {version}"))
        return await behind.exchange(method, copy_body, reader, writer) and not head.closes

    async def _connect(self, head: MessageHead, reader: StreamReader, writer: StreamWriter, behind: "_Behind") -> None:
        """Open a live connection, and copy what comes from either side until one of them ends it.

        Raises:
            Refused: it is for something else, or a page of another site asks for it.
        """
        if why := live.refusal(head.headers):
            raise FrontRefused(HTTPStatus.FORBIDDEN, why)
        if not self._routes():
            raise FrontRefused(HTTPStatus.SERVICE_UNAVAILABLE, "nothing is deployed yet")
        await behind.send(live.upgrade(head))
        await behind.join(reader, writer)

    def _behind_of(self, method: str, target: str, head: MessageHead) -> tuple[str, sign_in_paths.Body | None]:
        """Return the target at the emulator; of a sign-in also the body that has to follow.

        Raises:
            Refused: it is not for the emulator.
        """
        routes = self._routes()
        if not routes:
            raise FrontRefused(HTTPStatus.SERVICE_UNAVAILABLE, "nothing is deployed yet")
        path, question, query = target.partition("?")
        if path in routes and not path.endswith("/"):
            body = sign_in_paths.body_after(method, path, query, head.headers)
            if body is None:
                raise _nothing_here()
            return routes[path] + question + query, body
        for public, emulators in sorted(routes.items(), reverse=True):  # the longer one first
            if public.endswith("/") and target.startswith(public):
                return emulators + target.removeprefix(public), None
        raise _nothing_here()


async def _head_in_time(reader: StreamReader) -> MessageHead | None:
    try:
        async with asyncio.timeout(IDLE_S):
            return await http1.read_head(reader)
    except TimeoutError:
        return None


def _start_line(head: MessageHead) -> tuple[str, str, str]:
    """Return method, target and version of a request.

    Raises:
        Refused: it is for nobody here.
        Malformed: it is no request.
    """
    if why := http1.refusal(head.headers):
        raise FrontRefused(HTTPStatus.FORBIDDEN, f"{why}; this system answers pages that it serves itself, and tools")
    parts = head.start.split(" ")
    if len(parts) != len(("method", "target", "version")) or parts[2] != "HTTP/1.1":
        raise Malformed("this is not an HTTP/1.1 request")
    method, target, version = parts
    if method not in METHODS:
        raise _nothing_here()
    return method, target, version


async def _checked(expected: sign_in_paths.Body, reader: StreamReader) -> CopyBody:
    """Read a body; return what passes it on.

    Raises:
        Refused: it is not the one that is expected.
    """
    try:
        async with asyncio.timeout(BODY_S):
            body = await reader.readexactly(expected.length)
    except TimeoutError:
        raise _too_slow() from None
    if not expected.is_form(body):
        raise _nothing_here()

    async def write(_: StreamReader, writer: StreamWriter) -> None:
        writer.write(body)
        await writer.drain()

    return write


def _too_slow() -> FrontRefused:
    return FrontRefused(HTTPStatus.REQUEST_TIMEOUT, f"the body did not come within {BODY_S} s")


def _nothing_here() -> FrontRefused:
    return FrontRefused(HTTPStatus.NOT_FOUND, "nothing is served here")


class _Behind:
    """The connection to the emulator that belongs to one of a client."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[StreamReader, StreamWriter] | None = None

    async def send(self, head: bytes) -> None:
        """Send the head of a request."""
        if self._streams is None:
            try:
                self._streams = await asyncio.open_connection(HOST, self._port)
            except OSError:
                raise FrontRefused(HTTPStatus.BAD_GATEWAY, "the emulator does not answer") from None
        self._streams[1].write(head)

    async def exchange(self, method: str, copy: CopyBody, reader: StreamReader, writer: StreamWriter) -> bool:
        """Send the body while the response comes; return True if both came whole."""
        sending = asyncio.create_task(self._send_body(copy, reader))
        try:
            lasts = await self._relay_response(method, writer)
            return lasts and sending.done() and not sending.exception()
        except FrontRefused:
            if sending.done() and isinstance(sending.exception(), TimeoutError):
                raise _too_slow() from None
            raise
        finally:  # the emulator may have answered before it had read the body
            sending.cancel()
            with contextlib.suppress(asyncio.CancelledError, Malformed, OSError, EOFError):
                await sending

    async def _send_body(self, copy: CopyBody, reader: StreamReader) -> None:
        """Send the body of a request; when it breaks off, so does the connection, and nobody waits for an answer."""
        try:
            async with asyncio.timeout(BODY_S):
                await copy(reader, self._open()[1])
        except (OSError, EOFError, Malformed, asyncio.LimitOverrunError):
            self.close()
            raise

    async def _relay_response(self, method: str, writer: StreamWriter) -> bool:
        """Copy the response to the client; False when the client's connection has to be closed after it."""
        reader, _ = self._open()
        head = await self._head(reader)
        while (status := int(head.start.split(" ")[1])) < HTTPStatus.OK:
            head = await self._head(reader)  # the front has said `100 Continue` itself
        writer.write(head.encoded(head.start))
        try:
            lasts = await http1.copy_response_body(head, status, method, reader, writer)
        except Malformed as broken:  # its head is with the client already, so that nothing else can be answered
            raise ConnectionAbortedError from broken
        await writer.drain()
        if head.closes:
            self.close()
        return lasts

    async def join(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Copy both ways until one side ends, if the emulator switches protocols; else copy its response."""
        from_emulator, to_emulator = self._open()
        head = await self._head(from_emulator)
        status = int(head.start.split(" ")[1])
        if status != HTTPStatus.SWITCHING_PROTOCOLS:
            writer.write(head.encoded(head.start, ("connection", "close")))
            await http1.copy_response_body(head, status, "GET", from_emulator, writer)
            return
        writer.write(head.encoded(head.start, *live.SWITCHES))
        ways = [
            asyncio.create_task(_copy_until_the_end(*way)) for way in ((reader, to_emulator), (from_emulator, writer))
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    def _open(self) -> tuple[StreamReader, StreamWriter]:
        if self._streams is None:
            raise ConnectionResetError
        return self._streams

    async def _head(self, reader: StreamReader) -> MessageHead:
        try:
            head = await http1.read_head(reader)
        except (OSError, Malformed):
            head = None
        if head is None:
            raise FrontRefused(HTTPStatus.BAD_GATEWAY, "the emulator did not answer")
        return head

    def close(self) -> None:
        """End the connection; the next request opens another one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _copy_until_the_end(reader: StreamReader, writer: StreamWriter) -> None:
    while piece := await reader.read(http1.CHUNK):
        writer.write(piece)
        await writer.drain()


async def _close(writer: StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


async def _answer(writer: StreamWriter, refused: FrontRefused | Malformed) -> None:
    status = refused.status if isinstance(refused, FrontRefused) else HTTPStatus.BAD_REQUEST
    problem = {"type": "about:blank", "title": status.phrase, "status": status, "detail": str(refused)}
    body = json.dumps(problem).encode()
    head = (
        f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: application/problem+json\r\n"
        f"x-request-id: {uuid4()}\r\nx-content-type-options: nosniff\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    with contextlib.suppress(OSError):
        writer.write(head.encode() + body)
        await writer.drain()


async def run(port: int, emulator_port: int, routes: Callable[[], Routes]) -> None:
    """Serve on `port` until the task is cancelled."""
    server = await asyncio.start_server(Front(emulator_port, routes).serve, HOST, port)
    async with server:
        await server.serve_forever()


def _end_with_the_starter() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_starter, daemon=True).start()
    asyncio.run(run(int(sys.argv[1]), int(os.environ["GATEWAY_PORT"]), RoutesFile(Path(sys.argv[2]))))
