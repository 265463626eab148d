"""Declaration of a service's input from things, in its `ingress.py`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from andon.events.domain_event import DomainEvent
from andon.ingress.message import Message
from andon.ingress.names import Kind
from andon.ingress.presence import Presence
from andon.ingress.provisioning import Provisioning
from andon.runtime.errors import Rejected


class Unusable(NamedTuple):
    """A part of a message that can never be an event; content: JSON, the part as a message of its own."""

    content: Any
    error: Rejected


EventsOf = Callable[[Message, Mapping[str, str]], Sequence[DomainEvent | Unusable]]
"""Returns the events of a message, with these tags, and which parts can have none.

Raises `Poison`, `Invalid` or `Forbidden` if none can have any.
"""


OnPresence = Callable[[Presence], bool]
"""Writes down that a thing connected, or is gone; returns False if something newer was known."""


class Ingress(NamedTuple):
    """The kinds of things that publish to a service, and the events of their messages.

    on_presence: where the service keeps who is connected. That somebody is gone it hears after a grace, see
    `andon.cdk.things`; a thing that was back by then is connected. provisioning: how it knows who may become a thing by
    a claim; None: nobody may.
    """

    kinds: tuple[Kind, ...]
    events_of: EventsOf
    on_presence: OnPresence | None = None
    provisioning: Provisioning | None = None
