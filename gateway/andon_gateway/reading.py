"""Values and troubles that a source hands to the gateway, and the edge at which texts enter it."""

import json
import queue
import re
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from andon_gateway.conditions import Value

LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Message(NamedTuple):
    """Values of one time by tag; source_ms: epoch ms by the source's clock, if it says one.

    received_ms: by the gateway's clock. Values None are of bad quality from here on.
    """

    source: str
    values: Mapping[str, Value]
    source_ms: int | None
    received_ms: int


Messages = queue.Queue[Message]
"""It is bounded: while the store is full it is, too, and sources wait."""


class Source(Protocol):
    """Reads machines in a thread of its own, until it is stopped."""

    def start(self) -> None:
        """Begin."""

    def stop(self) -> None:
        """End, and wait for that."""

    @property
    def is_up(self) -> bool:
        """True while values come."""

    @property
    def trouble(self) -> str | None:
        """Reason why values do not come, for people."""


def value_of(found: object) -> Value:
    """Return a value, None for anything else: a list, an object, null."""
    if isinstance(found, str):
        return repaired(found)
    return found if isinstance(found, bool | int | float) else None


def repaired(text: str) -> str:
    """Return a text as Unicode: characters that no store and no API takes become U+FFFD.

    JSON has half a surrogate pair, and asyncua makes one of each byte that is no UTF-8.
    """
    return LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def json_of(content: bytes) -> object:
    """Return the JSON of a message; bytes of another encoding than its own cost a text, and not the message.

    Raises:
        ValueError: it is none.

    """
    try:
        return json.loads(content.decode(json.detect_encoding(content), "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
