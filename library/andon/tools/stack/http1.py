"""HTTP/1.1 messages on asyncio streams: what the front has to understand of them, and nothing more.

Strict on purpose: a message that two readers could take for different ones (RFC 9112, 11.2) is refused.
"""

import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

CHUNK: Final = 65_536

# About one connection, not about the message on it (RFC 9110, 7.6.1); `Expect` is answered by the front.
_OF_ONE_CONNECTION: Final = frozenset(
    {"connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade", "expect", "proxy-authorization"}
)
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NOT_IN_A_LINE: Final = re.compile(r"[\r\n\0]")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_SIZE: Final = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(;[^\r\n]*)?\r\n")


class Malformed(Exception):
    """The message is not HTTP/1.1, or not clearly so."""


@dataclass(frozen=True, slots=True)
class MessageHead:
    """A start line and the headers below it, names and values as they came."""

    start: str
    headers: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        """Return the values of the headers `name` (lower case)."""
        return [value for known, value in self.headers if known.lower() == name]

    @property
    def closes(self) -> bool:
        """True if the sender closes the connection after this message."""
        return "close" in ",".join(self.all("connection")).lower()

    def encoded(self, start: str, *more: tuple[str, str]) -> bytes:
        """Write it with another start line, for the next connection."""
        headers = [pair for pair in self.headers if pair[0].lower() not in _OF_ONE_CONNECTION]
        lines = [start, *(f"{name}: {value}" for name, value in [*headers, *more]), "", ""]
        return "\r\n".join(lines).encode("latin-1")


async def read_head(reader: StreamReader) -> MessageHead | None:
    """Read the next head; None when there is none, because the other side has closed.

    Raises:
        Malformed: what came is no head.
    """
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except IncompleteReadError as ended:
        if ended.partial:
            raise Malformed("the head has no end") from None
        return None
    except LimitOverrunError:
        raise Malformed("the head is too long") from None
    start, *lines = raw[:-4].decode("latin-1").split("\r\n")
    if any(_NOT_IN_A_LINE.search(line) for line in (start, *lines)):
        raise Malformed("a line has a control character in it")
    return MessageHead(start, tuple(_header(line) for line in lines))


CopyBody = Callable[[StreamReader, StreamWriter], Awaitable[None]]


def request_body(head: MessageHead) -> CopyBody:
    """Return the function that copies the body of a request with this head, by its framing.

    Raises:
        Malformed: it is framed in two ways, or in one that is not known.
    """
    encodings, lengths = head.all("transfer-encoding"), head.all("content-length")
    if not encodings:
        return partial(_copy, _length(lengths) if lengths else 0)
    if lengths or [one.lower() for one in encodings] != ["chunked"]:
        raise Malformed("the end of the body is not clear")
    return _copy_chunks


async def copy_response_body(
    head: MessageHead, status: int, method: str, reader: StreamReader, writer: StreamWriter
) -> bool:
    """Copy the body of a response; False where it lasts until the connection is closed."""
    if method == "HEAD" or status in {204, 304}:
        return True
    if head.all("transfer-encoding"):
        await _copy_chunks(reader, writer)
    elif lengths := head.all("content-length"):
        await _copy(_length(lengths), reader, writer)
    else:
        while piece := await reader.read(CHUNK):
            await _write(piece, writer)
        return False
    return True


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not _NAME.fullmatch(name):
        raise Malformed("a header is none")
    return name, value.strip(" \t")


def _length(lengths: list[str]) -> int:
    if len(lengths) != 1 or not _LENGTH.fullmatch(lengths[0]):
        raise Malformed("Content-Length is not one number")
    return int(lengths[0])


async def _copy(count: int, reader: StreamReader, writer: StreamWriter) -> None:
    while count:
        piece = await reader.read(min(count, CHUNK))
        if not piece:
            raise Malformed("the body ends early")
        count -= len(piece)
        await _write(piece, writer)


async def _copy_chunks(reader: StreamReader, writer: StreamWriter) -> None:
    while True:
        line = await reader.readuntil(b"\n")
        size = _chunk_size(line)
        await _write(line, writer)
        if not size:
            break
        await _copy(size, reader, writer)
        end = await reader.readexactly(2)
        if end != b"\r\n":
            raise Malformed("a chunk is longer than its size")
        await _write(end, writer)
    # Trailers are dropped (RFC 9110, 6.5.1): the emulator would take them for headers, which nobody here has looked at.
    while await reader.readuntil(b"\n") != b"\r\n":
        pass
    await _write(b"\r\n", writer)


def _chunk_size(line: bytes) -> int:
    found = _SIZE.fullmatch(line)
    if not found:
        raise Malformed("a chunk has no size")
    return int(found[1], 16)


async def _write(piece: bytes, writer: StreamWriter) -> None:
    writer.write(piece)
    await writer.drain()


# Recognises requests that come from a web page of another site.
#
# A browser sends a page's requests to 127.0.0.1, too. It says on them where the page is from (`Origin`, and
# `Sec-Fetch-Site` in https://www.w3.org/TR/fetch-metadata/), and a page cannot change what it says. A page whose own
# name was pointed to 127.0.0.1 (DNS rebinding) is known by its `Host`. Tools such as curl and boto3 send no `Origin`.
#
# Standard library only: the emulator's process, which has an environment of its own, imports it, too.

_OWN_HOST: Final = re.compile(r"(127\.0\.0\.1|localhost)(:\d+)?", re.IGNORECASE)
# "same-site" is not enough: each port of 127.0.0.1 is the same site. "none": a person typed the address.
_OWN_SITES: Final = frozenset({"same-origin", "none"})


def refusal(headers: Iterable[tuple[str, str]]) -> str | None:
    """Return why a request with these headers (names in any case) is refused; None if it is not foreign.

    What a page says of itself may come once only; a page served by the same host and port is no foreigner.
    """
    said: dict[str, list[str]] = {"host": [], "origin": [], "sec-fetch-site": []}
    for name, value in headers:
        said.get(name.lower(), []).append(value.strip())
    if len(said["host"]) != 1 or not _OWN_HOST.fullmatch(said["host"][0]):
        return "Host is not this machine"
    if any(origin.lower() != f"http://{said['host'][0]}".lower() for origin in said["origin"]):
        return "Origin is another site"
    if any(site.lower() not in _OWN_SITES for site in said["sec-fetch-site"]):
        return "Sec-Fetch-Site is another site"
    return None
