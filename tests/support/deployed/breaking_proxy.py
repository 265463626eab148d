"""The process of a proxy that breaks what handlers ask of the emulator: `python -m … PORT EMULATOR_PORT`.

It answers some requests itself, as AWS does that is throttling or failing; it passes on others and lets nobody hear of
the answer; and some it delays. Each kind it does at the first occasion, then by chance. Everything else goes through.
`GET /_broken` counts what was done, by kind. From `PUT /_broken` to `DELETE /_broken` it refuses all that writes.
"""

import asyncio
import json
import random
import sys
from asyncio import StreamReader, StreamWriter
from collections import Counter
from typing import Final

from andon.tools.stack import http1
from andon.tools.stack.http1 import MessageHead

HOST: Final = "127.0.0.1"
COUNTS: Final = "/_broken"

THROTTLED, FAILED, LOST, SLOW = "throttled", "failed", "lost", "slow"
CHANCES: Final = {THROTTLED: 0.05, FAILED: 0.02, LOST: 0.02, SLOW: 0.1}
"""Of the requests below, so many; the first that comes true decides about a request."""

WRITES: Final = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "PutEvents", "PutObject"}
READS: Final = {"GetItem", "Query"}  # the answer of a read is not lost: it has no effect that one could not know of
INTERNAL: Final = {"DynamoDB": "InternalServerError", "AWSEvents": "InternalFailure", "S3": "InternalError"}
SLOW_MS: Final = (2, 20)
SEED: Final = 5  # the same dice at every run: what comes in the same order fares the same

Streams = tuple[StreamReader, StreamWriter]


def operation_of(head: MessageHead) -> tuple[str, str]:
    """Return the service and the operation of a request; S3 names it in no header."""
    method, path, _ = head.start.split(" ")
    target, _, operation = next(iter(head.all("x-amz-target")), "").partition(".")
    if target:
        return target.partition("_")[0], operation
    is_object = path.partition("?")[0].strip("/").count("/") > 0
    return "S3", "PutObject" if method == "PUT" and is_object else ""


class BreakingProxy:
    """Serves each connection with one of its own to the emulator."""

    def __init__(self, emulator_port: int) -> None:
        self.broken: Counter[str] = Counter()
        self._port, self._dice = emulator_port, random.Random(SEED)  # noqa: S311  no secret
        self._is_outage = False

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer requests until the client closes the connection, or an answer is lost."""
        streams: Streams | None = None
        try:
            while head := await http1.read_head(reader):
                if head.all("expect"):
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = await reader.readexactly(int(next(iter(head.all("content-length")), "0")))
                method, path, _ = head.start.split(" ")
                if path == COUNTS:
                    self._is_outage = {"PUT": True, "DELETE": False}.get(method, self._is_outage)
                    _answer(writer, 200, json.dumps(self.broken))
                    continue
                service, operation = operation_of(head)
                kind = self._kind(operation)
                if kind in {THROTTLED, FAILED}:
                    _refuse(writer, service, kind)
                    continue
                if kind == SLOW:
                    await asyncio.sleep(self._dice.uniform(*SLOW_MS) / 1000)
                streams = streams or await asyncio.open_connection(HOST, self._port)
                streams[1].write(head.encoded(head.start) + body)
                response = await http1.read_head(streams[0])
                if kind == LOST and response is not None:
                    _lose(response, writer)
                    return
                if response is None or not await _relay(response, head, streams[0], writer):
                    return
        finally:
            for one in (writer, streams[1] if streams else writer):
                one.close()

    def _kind(self, operation: str) -> str | None:
        """Choose what is done to a request."""
        if operation not in WRITES | READS:
            return None
        possible = {kind: chance for kind, chance in CHANCES.items() if kind != LOST or operation in WRITES}
        if self._is_outage and operation in WRITES:
            possible = {FAILED: 1}
        for kind, chance in possible.items():
            if self._dice.random() < chance or not self.broken[kind]:
                self.broken[kind] += 1
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
    is_xml = service == "S3"
    _answer(writer, status, f"<Error><Code>{code}</Code></Error>" if is_xml else json.dumps({"__type": code}))


def _answer(writer: StreamWriter, status: int, body: str) -> None:
    writer.write(f"HTTP/1.1 {status} -\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())


async def run(port: int, emulator_port: int) -> None:
    """Serve until the process is ended."""
    async with await asyncio.start_server(BreakingProxy(emulator_port).serve, HOST, port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(run(*map(int, sys.argv[1:])))
