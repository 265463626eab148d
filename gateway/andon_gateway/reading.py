"""Values and troubles that a source hands to the gateway."""

import queue
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from andon_gateway.conditions import Value


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
    """Return a value, None for what is none: a list, an object, null."""
    return found if isinstance(found, bool | int | float | str) else None
