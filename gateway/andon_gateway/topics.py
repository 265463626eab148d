"""JSON of topics -> values. A tag is `TOPIC#/JSON/POINTER`, or `TOPIC` where a message is a value. Pure.

https://www.rfc-editor.org/rfc/rfc6901; times are epoch ms, or RFC 3339.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from andon_gateway.changes import Change
from andon_gateway.clock import said_ms
from andon_gateway.conditions import Malformed
from andon_gateway.reading import json_of, value_of

MISSING: Final = object()
INDEX: Final = re.compile(r"0|[1-9]\d{0,6}", re.ASCII)
SAID: Final = 5


class Tag(NamedTuple):
    """Place of a value; path: the parts of the pointer."""

    topic: str
    path: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Tag":
        """Return the place of a value.

        Raises:
            Malformed: it is none.

        """
        topic, _, pointer = text.partition("#")
        if not topic or "+" in topic or "\0" in topic:
            raise Malformed(f"{text!r} should be a topic without + and #, and a pointer: plant/press-1#/oil")
        return cls(topic, path_of(pointer))


def path_of(pointer: str) -> tuple[str, ...]:
    """Return the parts of a JSON Pointer.

    Raises:
        Malformed: it is none.

    """
    if pointer and not pointer.startswith("/"):
        raise Malformed(f"{pointer!r} should be a JSON Pointer, such as /oil/temperature")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


class Topics:
    """The values of topics. time: where messages say since when. quiet_ms: after so long a topic's are unknown."""

    def __init__(
        self,
        tags: Collection[str],
        *,
        time: Sequence[str] | None = None,
        quiet_ms: int | None = None,
        counts: Counter[str],
    ) -> None:
        """Know nothing yet."""
        self._tags = sorted(tags)
        self._time = time
        self._quiet_ms = quiet_ms
        self._counts = counts
        self._heard_ms: dict[str, int] = {}
        self._by_topic: defaultdict[str, list[tuple[str, Sequence[str]]]] = defaultdict(list)
        for text in self._tags:
            tag = Tag.parse(text)
            self._by_topic[tag.topic].append((text, tag.path))

    @property
    def filters(self) -> list[str]:
        """Filters of topics to subscribe to."""
        return sorted(self._by_topic)

    @property
    def trouble(self) -> str | None:
        """Which topics say nothing, if there is a time for that."""
        silent = [] if self._quiet_ms is None else [topic for topic in self.filters if topic not in self._heard_ms]
        return f"nothing from {_some(silent)}" if silent else None

    def take(self, topic: str, content: bytes, *, is_kept: bool, now_ms: int) -> list[Change]:
        """Return the changes of a message: values without a name in it stay, null is unknown; all are if it is no JSON.

        is_kept: the broker had kept it, so that it says nothing of whether its sender lives.
        """
        values = self._by_topic.get(topic, [])
        try:
            found = json_of(content)
        except ValueError:
            self._counts["malformed"] += 1
            return [Change(tag, None, None) for tag, _ in values]
        if not is_kept or topic not in self._heard_ms:
            self._heard_ms[topic] = now_ms
        at_ms = None if self._time is None else said_ms(_at(found, self._time))
        self._counts["times_missing"] += self._time is not None and at_ms is None
        there = [(tag, _at(found, path)) for tag, path in values]
        return [Change(tag, value_of(value), at_ms) for tag, value in there if value is not MISSING]

    def tick(self, now_ms: int) -> list[Change]:
        """Return the values that became unknown, because their topic has been quiet for too long."""
        if self._quiet_ms is None:
            return []
        quiet = [topic for topic, heard_ms in self._heard_ms.items() if now_ms - heard_ms > self._quiet_ms]
        for topic in quiet:
            del self._heard_ms[topic]
        return [Change(tag, None, None) for topic in quiet for tag, _ in self._by_topic[topic]]

    def asks(self, *, now_ms: int, at_ms: int) -> list[tuple[str, bytes]]:  # noqa: ARG002  topics are only read
        """Return nothing: there is nobody to ask."""
        return []

    def lose(self) -> list[Change]:
        """Take no value for known any more."""
        self._heard_ms.clear()
        return [Change(tag, None, None) for tag in self._tags]


def _at(found: object, path: Sequence[str]) -> object:
    """Return the value at a path; MISSING: there is none."""
    for part in path:
        match found:
            case Mapping() if part in found:
                found = found[part]
            case list() if INDEX.fullmatch(part) and int(part) < len(found):
                found = found[int(part)]
            case _:
                return MISSING
    return found


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SAID} more" if len(names) > SAID else ""
    return ", ".join(names[:SAID]) + more
