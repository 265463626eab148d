"""Several updates of one row in one batch -> one write, of the newest.

Apart from `materialize.py`, which imports `object_batch.py` late: both use this.
"""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from andon.events.bus_entry import Replay
from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.views.inverse_oplock import event_order
from andon.views.row_write import RowWrite


class Message(NamedTuple):
    """A fact that was understood: as it was received, its event and the write of that.

    replay: None for a live one. taken_ms: see `Delivery`.
    """

    received: Received
    event: DomainEvent
    update: RowWrite
    replay: Replay | None = None
    taken_ms: int | None = None


def compact(messages: Iterable[Message]) -> list[list[Message]]:
    """Group the messages that one write settles, the newest of each group first.

    A live one settles no replayed one: that has another ttl to write.
    """
    groups: dict[Hashable, list[Message]] = {}
    for message in messages:
        groups.setdefault((message.replay, message.update.target), []).append(message)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=_order_in, reverse=True)
    return [*groups.values()]


def _order_in(message: Message) -> str:
    return event_order(message.event, message.update.about_ms, message.update.origin)
