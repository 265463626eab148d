"""Declaration of what a service takes from things, in its `ingress.py`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from andon.events.domain_event import DomainEvent
from andon.ingress.message import Message
from andon.ingress.names import Kind
from andon.ingress.presence import Presence
from andon.ingress.provisioning import Provisioning

EventsOf = Callable[[Message, Mapping[str, str]], list[DomainEvent]]
"""Returns the events of a message, with these tags; raises `Poison`, `Invalid` or `Forbidden` if there can be none."""


OnPresence = Callable[[Presence], bool]
"""Writes down that a thing connected, or is gone; returns False if something newer was known."""


class Ingress(NamedTuple):
    """The kinds of things that publish to a service, and the events of what they publish.

    on_presence: where the service keeps who is connected. That somebody is gone it hears after a grace, see
    `andon.cdk.things`; a thing that was back by then is connected. provisioning: how it knows who may become a thing by
    a claim; None: nobody may.
    """

    kinds: tuple[Kind, ...]
    events_of: EventsOf
    on_presence: OnPresence | None = None
    provisioning: Provisioning | None = None
