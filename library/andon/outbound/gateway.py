"""The gateway of a service: what wakes its sender, what waits for whom, and by which ways somebody is told."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from andon.dynamodb.client import Table
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.outbound.channel import Channel, Message
from andon.outbound.delivery import Delivery, Notice


class Wake(NamedTuple):
    """That somebody may have to be told: a message is a wake-up, and its text is made when it is sent.

    recipient: their partition. message: its id, which begins with `at_ms` in 13 digits. kind: which of the service's.
    """

    recipient: str
    message: str
    at_ms: int
    kind: str
    part: int = 1

    def next_part(self) -> "Wake":
        """Return the next part of its message, for what a delivery that is full has no room for."""
        whole = self.message if self.part == 1 else self.message.rpartition(".")[0]
        return self._replace(message=f"{whole}.{self.part + 1}", part=self.part + 1)


class Waiting(NamedTuple):
    """The notices of a recipient, oldest first. known: all of late, also those that were told; due: to be told now."""

    known: Sequence[Notice]
    due: Sequence[Notice]


class Way(NamedTuple):
    """A way to somebody. is_loud: of those only one in a while; per_hour: the most; None: as many as there are.

    language: of who is told, as `es` or `es-MX`. host: where a channel has several, each of which may fail, or be
    busy, alone. per_second, per_day: the most of all recipients together.
    """

    channel: str
    address: str
    is_loud: bool = False
    per_hour: int | None = None
    language: str = ""
    host: str = ""
    per_second: int | None = None
    per_day: int | None = None

    @property
    def line(self) -> str:
        """The unit that fails, and is counted, as one: the channel, or a host of it."""
        return f"{self.channel} {self.host}" if self.host else self.channel


class Gateway(NamedTuple):
    """The gateway of a service, in its `outbound.py`: hence it has a sender, a participant of its own on the bus.

    on: the events that wake it. emits: the types of the facts that its deliveries become; none of them wakes it.
    table: it has the deliveries; messages, notices and ways are read from it by `waiting_of` and `ways_of`.
    compose: a wake, a way and what is covered -> what is sent. channels: by name; called where something is sent.
    tell_story: called after a delivery was sent, at least once, with what it covered as far as it is known.
    """

    table: Table
    on: frozenset[Topic]
    emits: frozenset[str]
    wake_of: Callable[[DomainEvent], Wake]
    waiting_of: Callable[[Wake, int], Waiting]
    ways_of: Callable[[Wake, Sequence[Notice], int], Sequence[Way]]
    compose: Callable[[Wake, Way, Sequence[Notice], int], Message]
    channels: Callable[[], Mapping[str, Channel]]
    tell_story: Callable[[Delivery, Sequence[Notice]], None]
