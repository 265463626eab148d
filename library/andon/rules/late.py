"""Lateness: settled once, when an event is stored, and kept with it. Pure.

An event is *late* for a rule if a newer one of the rule's topics had arrived more than the hold-back before it. That
newer one may have been decided upon by then, so that the late one counts for no decision. It still belongs to the
story. The events that had arrived before another one never change, so that nobody has to look a second time.
"""

from collections.abc import Iterable

from andon.events.topic import Topic
from andon.rules.stored_event import StoredEvent


def late_by(one: StoredEvent, newest_first: Iterable[StoredEvent], *, hold_back_ms: int) -> frozenset[Topic]:
    """Return the topics of which a newer event had arrived more than the hold-back before `one`.

    Once its own topic is among them, it is late for every rule that it matters to, and nothing else is looked at.
    newest_first: the stored events; they are read no further than `one`.
    """
    topics: set[Topic] = set()
    for newer in newest_first:
        if newer.sort <= one.sort:
            break
        if newer.arrived_ms + hold_back_ms < one.arrived_ms:
            topics.add(newer.topic)
            if newer.topic == one.topic:
                break
    return frozenset(topics)
