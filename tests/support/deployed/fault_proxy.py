"""A proxy in front of the emulator that breaks what handlers ask of it.

It answers some requests itself, as AWS does that is throttling or failing; it passes on others and lets nobody hear of
the answer; and some it delays. Each kind it does at the first occasion, then by chance. Everything else goes through.
"""

import asyncio
import json
import random
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import Final, Self
from urllib.parse import urlsplit

from andon.tools.stack import http1
from andon.tools.stack.http1 import MessageHead

HOST: Final = "127.0.0.1"
BOOT_S: Final = 60

THROTTLED, FAILED, LOST, SLOW = "throttled", "failed", "lost", "slow"
CHANCES: Final = {THROTTLED: 0.05, FAILED: 0.02, LOST: 0.02, SLOW: 0.1}
"""Of the requests below, so many; the first that comes true decides about a request."""

WRITES: Final = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "PutEvents", "PutObject"}
READS: Final = {"GetItem", "Query"}  # the answer of a read is not lost: it has no effect that one could not know of
INTERNAL: Final = {"DynamoDB": "InternalServerError", "AWSEvents": "InternalFailure", "S3": "InternalError"}
SLOW_MS: Final = (2, 20)
SEED: Final = 5  # the same dice at every run: what comes in the same order fares the same


def operation_of(head: MessageHead) -> tuple[str, str]:
    """Return the service and the operation of a request; S3 names it in no header."""
    method, path, _ = head.start.split(" ")
    target, _, operation = next(iter(head.all("x-amz-target")), "").partition(".")
    if target:
        return target.partition("_")[0], operation
    is_object = path.partition("?")[0].strip("/").count("/") > 0
    return "S3", "PutObject" if method == "PUT" and is_object else ""


class FaultProxy(AbstractContextManager["FaultProxy"]):
    """Serves while the context lasts, each connection with one of its own to the emulator; fired: counts, by kind."""

    def __init__(self, upstream: str) -> None:
        self.upstream, self.fired = upstream, Counter[str]()
        self._dice, self._is_outage = random.Random(SEED), False  # noqa: S311  no secret
        self._opened, self._closing = Future[str](), asyncio.Event()

    def __enter__(self) -> Self:
        self._thread = Thread(target=asyncio.run, args=(self._listen(),), daemon=True)
        self._thread.start()
        self.url = self._opened.result(BOOT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    @contextmanager
    def outage(self) -> Iterator[None]:
        """Let every write fail."""
        self._is_outage = True
        try:
            yield
        finally:
            self._is_outage = False

    async def _listen(self) -> None:
        self._loop, server = asyncio.get_running_loop(), await asyncio.start_server(self._serve, HOST, 0)
        self._opened.set_result(f"http://{HOST}:{server.sockets[0].getsockname()[1]}")
        await self._closing.wait()
        server.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer requests until the client closes the connection, or an answer is lost."""
        upstream_reader, upstream = await asyncio.open_connection(HOST, urlsplit(self.upstream).port)
        try:
            while head := await http1.read_head(reader):
                if head.all("expect"):
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = await reader.readexactly(int(next(iter(head.all("content-length")), "0")))
                service, operation = operation_of(head)
                kind = self._kind(operation)
                if kind in {THROTTLED, FAILED}:
                    _refuse(writer, service, kind)
                    continue
                if kind == SLOW:
                    await asyncio.sleep(self._dice.uniform(*SLOW_MS) / 1000)
                upstream.write(head.encoded(head.start) + body)
                response = await http1.read_head(upstream_reader)
                if kind == LOST and response is not None:
                    _lose(response, writer)
                    return
                if response is None or not await _relay(response, head, upstream_reader, writer):
                    return
        finally:
            writer.close()
            upstream.close()

    def _kind(self, operation: str) -> str | None:
        """Choose what is done to a request."""
        if operation not in WRITES | READS:
            return None
        possible = {kind: chance for kind, chance in CHANCES.items() if kind != LOST or operation in WRITES}
        if self._is_outage and operation in WRITES:
            possible = {FAILED: 1}
        for kind, chance in possible.items():
            if self._dice.random() < chance or not self.fired[kind]:
                self.fired[kind] += 1
                return kind
        return None


async def _relay(response: MessageHead, request: MessageHead, reader: StreamReader, writer: StreamWriter) -> bool:
    """Copy a response; False if the connection cannot be used again."""
    status, method = int(response.start.split(" ")[1]), request.start.split(" ")[0]
    writer.write(response.encoded(response.start))
    lasts = await http1.copy_response_body(response, status, method, reader, writer)
    await writer.drain()
    return lasts and not response.closes


def _lose(response: MessageHead, writer: StreamWriter) -> None:
    """End the connection in the middle of a response: libcurl by itself sends again what had none at all."""
    if response.all("content-length") != ["0"]:
        writer.write(response.encoded(response.start))
    writer.transport.abort()


def _refuse(writer: StreamWriter, service: str, kind: str) -> None:
    status, code = (400, "ThrottlingException") if kind == THROTTLED else (500, INTERNAL[service])
    body = f"<Error><Code>{code}</Code></Error>" if service == "S3" else json.dumps({"__type": code})
    writer.write(f"HTTP/1.1 {status} -\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())
