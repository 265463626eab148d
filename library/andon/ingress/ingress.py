"""Declaration of what a service takes from things, in its `ingress.py`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from andon.events.domain_event import DomainEvent
from andon.ingress.message import Message
from andon.ingress.names import Kind

EventsOf = Callable[[Message, Mapping[str, str]], list[DomainEvent]]
"""Returns the events of a message, with these tags; raises `Poison`, `Invalid` or `Forbidden` if there can be none."""


class Ingress(NamedTuple):
    """The kinds of things that publish to a service, and the events of what they publish."""

    kinds: tuple[Kind, ...]
    events_of: EventsOf
