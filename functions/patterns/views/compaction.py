"""Several updates of one row in one batch -> one write: the newest wins before writing, as it would have after."""

from collections.abc import Iterable
from dataclasses import dataclass

from patterns.events.domain_event import DomainEvent
from patterns.rules.stored_event import Collected
from patterns.views.inverse_oplock import order_of
from patterns.views.view_update import ViewUpdate


@dataclass(frozen=True, slots=True)
class Message:
    """A message that was understood: its id in the batch, its body, the event in it and what the view keeps of that."""

    message_id: str
    body: str
    event: DomainEvent
    update: ViewUpdate | Collected


def compact(messages: Iterable[Message]) -> list[list[Message]]:
    """Put together what one write can settle, newest first: the same row under the same oplock.

    Never across oplocks: a joint condition would lose what one of them would have kept.
    """
    groups: dict[tuple[object, ...], list[Message]] = {}
    for message in messages:
        update = message.update
        groups.setdefault((update.oplock, *sorted(update.key.items())), []).append(message)
    return [sorted(group, key=lambda message: order_of(message.event), reverse=True) for group in groups.values()]
