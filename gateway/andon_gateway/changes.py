"""Changes of values, as a server tells them tag by tag -> messages in the order of time. Pure."""

import heapq
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from andon_gateway.conditions import Value
from andon_gateway.reading import Message


class Change(NamedTuple):
    """A value of a tag; source_ms: since when it is so, epoch ms by the source's clock. None: it is so now."""

    tag: str
    value: Value
    source_ms: int | None


def messages_of(changes: Iterable[Change], *, source: str, received_ms: int) -> list[Message]:
    """Return messages of the changes, one for those of one time.

    Changes of one tag stay in their order, also where its clock was set back.
    """
    by_tag: defaultdict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_tag[change.tag].append(change)
    messages: list[Message] = []
    values: dict[str, Value] = {}
    for change in heapq.merge(*by_tag.values(), key=lambda change: change.source_ms or 0):
        if not messages or messages[-1].source_ms != change.source_ms or change.tag in values:
            values = {}
            messages.append(Message(source, values, change.source_ms, received_ms))
        values[change.tag] = change.value
    return messages
