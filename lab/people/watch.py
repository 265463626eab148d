"""AWS in memory that reads along: what handlers send, are sent, answer and log is looked through for marked words."""

import base64
import binascii
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, Self

from andon.packages.package import Package
from andon.runtime import log
from andon.runtime.json_types import JsonObject
from andon.testing import loop
from andon.testing.memory.hook import Answer, Call
from andon.tools.listings import unpacked_body

NAMES: Final = "PEOPLE_TABLE"
ADDRESSES: Final = "CONTACTS_TABLE"
PRIVATE: Final = frozenset({NAMES, ADDRESSES})
HTTP: Final = frozenset({"command", "query"})
BASE64: Final = re.compile(rb"[A-Za-z0-9+/_-]{24,}")
DIGEST: Final = re.compile(rb"[0-9a-f-]{16,}")

Stores = dict[tuple[str, ...], Any]
"""Table, partition and sort key, or bucket and key -> row, or body."""


class Watched(loop.Loop):
    """Everything, connected. read: what was looked through, by where, but for what is of the table of names.

    found: the marked words in it. digests: what in it could be one.
    """

    def __init__(self, marked: re.Pattern[bytes]) -> None:
        super().__init__()
        self.marked = marked
        self.read: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.digests: set[bytes] = set()

    def __enter__(self) -> Self:
        super().__enter__()
        self._log, log.write = log.write, lambda line: self._look("log lines", line)
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401, PYI036  as its class has it
        log.write = self._log
        super().__exit__(*error)

    def answer(self, call: Call) -> Answer:
        """Look through a call, then answer it."""
        self._look(f"calls of {call.service}", _without_names(call.request))
        return super().answer(call)

    def call(self, event: JsonObject) -> loop.Answer:
        """Look through an answer, unless it is of those that are to have names."""
        answer = super().call(event)
        if "/people" not in event["routeKey"]:
            self._look("answers", [answer.body, dict(answer.headers)])
        return answer

    def invoke(self, package: Package, role: str, event: JsonObject) -> Any:  # noqa: ANN401  a handler's response
        """Look through streams and messages, then call their handler."""
        if role not in HTTP:
            self._look(f"events of {role}", event)
        return super().invoke(package, role, event)

    def _look(self, where: str, said: object) -> None:
        self.read[where] += 1
        for text in unpacked(said):
            self.digests.update(DIGEST.findall(text))
            self.found[where] += len(self.marked.findall(text))


def at_rest(world: loop.Loop) -> Stores:
    """Return all rows and objects."""
    rows: Stores = {
        (name, key, sort): row
        for name, table in world.tables.items()
        for key, rows in table.partitions.items()
        for sort, row in rows.items()
    }
    objects: Stores = {(name, key): body for name, one in world.store.items() for key, body in one.bodies.items()}
    return rows | objects


def marks(marked: re.Pattern[bytes], said: object) -> set[str]:
    """Return the marked words in any JSON or bytes, whatever they are packed in."""
    return {found.decode() for text in unpacked(said) for found in marked.findall(text)}


def unpacked(said: object) -> Iterator[bytes]:
    """Yield all texts, names of members included, and what they are once they are unpacked, however deep.

    Escapes of JSON and of URLs stay: they change no letter and no digit of ASCII.
    """
    left = [said]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield from _readings(one.encode(errors="surrogatepass"))
        elif isinstance(one, bytes):
            yield from _readings(one)
        elif isinstance(one, list | tuple):
            left += one
        elif isinstance(one, Mapping):
            left += chain.from_iterable(one.items())


def _readings(text: bytes) -> Iterator[bytes]:
    try:
        text = unpacked_body(text)
    except (OSError, EOFError, zlib.error):
        return
    yield text
    for packed in BASE64.findall(text):
        try:
            inner = base64.b64decode(packed.translate(bytes.maketrans(b"-_", b"+/")) + b"=" * (-len(packed) % 4))
        except binascii.Error:
            continue
        yield from _readings(inner)


def _without_names(request: Any) -> Any:  # noqa: ANN401  any JSON
    """Return a request without what is for the tables of names and of addresses."""
    if isinstance(request, dict):
        kept = {name: value for name, value in request.items() if name not in PRIVATE}
        if any(isinstance(value, str) and value in PRIVATE for value in kept.values()):
            return {}
        return {name: _without_names(value) for name, value in kept.items()}
    return [_without_names(one) for one in request] if isinstance(request, list) else request
