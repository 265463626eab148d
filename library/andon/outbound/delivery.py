"""Deliveries: a message on a channel, claimed before its provider is called, and marked after.

`sender.py` tells how they become one call. Here is what a service and a channel must know of it: statuses, the four
ways in which a call ends, and the `Gateway` by which a service says whom it tells of what.

A *message* is a row of a service that wakes its sender (`Wake`); it becomes a delivery for each channel that is tried.
What a channel then sends is a `Message`. Somebody is *told* once a delivery to them is `sent`.

| status | meaning | what it covers |
|---|---|---|
| `claimed` | a worker calls, or was killed; behind its lease another one may | is as good as told until then |
| `open` | the provider took nothing: the claim was given back | waits; for this one, if a call before had no answer |
| `sent` | the provider took it | is told |
| `failed` | nobody will be told by this delivery | waits |
| `unsure` | two calls ended without an answer | may be told: the message alone goes on, by another channel |
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import ceil
from typing import Any, Final, Literal, NamedTuple, Protocol, Self

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.keys import prefix, sort_key
from andon.dynamodb.schema import Between, KeyQuery, Keys
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.runtime.clock import HOUR_MS
from andon.runtime.json_types import JsonMapping

DELIVERY: Final = "delivery"
TTL_DAYS: Final = 33
"""A delivery is known for so many days: whom a message was told, and by which channel."""

LEASE_MS: Final = 90_000
"""Longer than a function lives: behind it, whoever claimed is gone."""

MOST_CALLS: Final = 2
"""A call that ended without an answer may have told: nobody is told more than twice by a channel."""

MOST_TRIES: Final = 5
TRIED_FOR_MS: Final = 15 * 60_000
MOST_CHANNELS: Final = 4
MOST_COVERED: Final = 200

_KNOWN_MS: Final = 2 * HOUR_MS
"""Deliveries of messages that are older are over."""

_PAGE: Final = 500  # of a query, which stops at 1 MB: that is some thirty deliveries that cover the most

NO_CHANNEL: Final = "none"
"""Stands for the channel in the delivery of a message that no channel is left for."""


class Status(StrEnum):
    """Progress of a delivery."""

    CLAIMED = "claimed"
    OPEN = "open"
    SENT = "sent"
    FAILED = "failed"
    UNSURE = "unsure"


class Notice(NamedTuple):
    """Something that somebody is to be told. `id` is the same each time; `about`: its subject, for others to read."""

    id: str
    at_ms: int
    about: JsonMapping
    is_urgent: bool = False
    detail: object = None


class Delivery(NamedTuple):
    """A delivery. covers: ids of notices; `about`: their subjects, each once. at_ms: when it was claimed first.

    version: of its row, by which of two workers one writes. calls: those made, or under way. tries: claims that were
    given back. lease_ms: until when nobody else calls. changed_ms: of its status.
    """

    recipient: str
    message: str
    channel: str
    covers: tuple[str, ...]
    about: tuple[JsonMapping, ...]
    at_ms: int
    changed_ms: int
    version: int = 0
    status: Status = Status.CLAIMED
    calls: int = 0
    tries: int = 0
    lease_ms: int = 0
    reason: str = ""
    provider_id: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any], keys: Keys) -> Self:
        """Return the delivery of a row."""
        partition, _ = keys.names
        texts = {name: row[name] for name in ("message", "channel", "reason", "provider_id")}
        numbers = {name: row[name] for name in ("at_ms", "changed_ms", "version", "calls", "tries", "lease_ms")}
        covers, about = tuple(row["covers"]), tuple(row["about"])
        return cls(
            recipient=row[partition], covers=covers, about=about, status=Status(row["status"]), **texts, **numbers
        )

    def key(self, keys: Keys) -> dict[str, str | int]:
        """Return its primary key; messages of a recipient are in the order of time."""
        return keys.of(self.recipient, sort_key(DELIVERY, self.message, self.channel))

    def row(self, keys: Keys) -> Item:
        """Return its row."""
        said = {name: value for name, value in self._asdict().items() if name != "recipient"}
        said |= {"covers": list(self.covers), "about": list(self.about), "status": str(self.status)}
        ttl = ttl_at(self.at_ms, TTL_DAYS)
        return {**self.key(keys), **said, "discriminator": DELIVERY, "recipient": self.recipient, "ttl": ttl}

    def claimed(self, now_ms: int) -> Self:
        """Return it as claimed by a worker, which calls at once."""
        return self._next(now_ms, status=Status.CLAIMED, calls=self.calls + 1, lease_ms=now_ms + LEASE_MS)

    def given_back(self, reason: str, now_ms: int) -> Self:
        """Return it after a call that the provider did not take: it does not count."""
        tries, calls = self.tries + 1, self.calls - 1
        return self._next(now_ms, status=Status.OPEN, calls=calls, tries=tries, reason=reason)

    def ended(self, status: Status, now_ms: int, *, reason: str = "", provider_id: str = "") -> Self:
        """Return it as it ended."""
        return self._next(now_ms, status=status, reason=reason, provider_id=provider_id)

    def _next(self, now_ms: int, **changed: Any) -> Self:  # noqa: ANN401  its members
        """Return its next version."""
        return self._replace(version=self.version + 1, changed_ms=now_ms, **changed)

    def is_abandoned(self, now_ms: int) -> bool:
        """Return True if a call may have told, or its worker is gone: it must be called for once more."""
        is_over = self.status is Status.CLAIMED and now_ms >= self.lease_ms
        return is_over or (self.status is Status.OPEN and self.calls > 0)

    def may_have_told(self, now_ms: int) -> bool:
        """Return True if its notices were told, are being told now, or may have been and nothing more is tried."""
        return self.status in {Status.CLAIMED, Status.SENT, Status.UNSURE} and not self.is_abandoned(now_ms)

    @property
    def is_full(self) -> bool:
        """True if it covers the most: more may wait, for another part of its message."""
        return len(self.covers) >= MOST_COVERED

    @property
    def is_worn_out(self) -> bool:
        """True if the provider did not take it as often as is tried."""
        return self.status is Status.OPEN and self.tries >= MOST_TRIES


def most_receives(visibility_ms: int) -> int:
    """Return the most receives of a message until its end is known, on a queue that hides it for so long each time.

    It comes while it is held back, and after each call that nobody answered; then it ends. Five times more for failures
    of ours.
    """
    return ceil(TRIED_FOR_MS / visibility_ms) + MOST_CHANNELS * MOST_CALLS + 1 + 5


def deliveries_of(table: Table, recipient: str, now_ms: int) -> list[Delivery]:
    """Read the recent deliveries to a recipient, in the order of their messages: ids begin with their time."""
    upto = Between(f"{prefix(DELIVERY)}{now_ms - _KNOWN_MS:013d}", f"{DELIVERY}#~")
    rows = table.query_all(KeyQuery(table.keys, recipient, upto), page=_PAGE, consistent=True)
    return [Delivery.of(one, table.keys) for one in rows]


def covering(notices: Sequence[Notice]) -> dict[str, Any]:
    """Return the members `covers` and `about` of a delivery of some notices."""
    told = notices[:MOST_COVERED]
    about: list[JsonMapping] = []
    for notice in told:
        if notice.about not in about:
            about.append(notice.about)
    return {"covers": tuple(notice.id for notice in told), "about": tuple(about)}


# A channel to people, as mail or SMS: what is sent by it, and how a call of its provider may end.
#
# Which of the four outcomes a channel gives decides what happens next, so a channel never raises for what its provider
# answers; what it raises is a defect, and counts as `Unknown`.

Urgency = Literal["low", "high"]
"""`high` is loud: it wakes people."""


class Message(NamedTuple):
    """A message to one address.

    id: of the message, the same when it is sent again. about: of its subject, by which providers join repeats.
    link: an address to answer at. language: as `es` or `es-MX`. is_over: it says nothing but that its subject is over,
    to who has an end for it, see `addresses.PAGERDUTY`.
    """

    id: str
    address: str
    subject: str
    text: str
    urgency: Urgency
    about: str
    link: str | None
    language: str
    is_over: bool = False


class Sent(NamedTuple):
    """The provider took the message, and calls it `provider_id` (empty if it says none)."""

    provider_id: str


class RefusedForGood(NamedTuple):
    """The provider will never take this message (4xx); reason: a word of ours without addresses."""

    reason: str


class NotTaken(NamedTuple):
    """Nothing was sent for certain (connection refused, 429): the call does not count."""

    reason: str


class Unknown(NamedTuple):
    """The message may have been sent (a timeout, a 5xx after the request went out)."""

    reason: str


Outcome = Sent | RefusedForGood | NotTaken | Unknown


class Channel(Protocol):
    """A way to people; `name` as in a person's order of channels: mail, sms, webhook, push."""

    @property
    def name(self) -> str:
        """The name of the channel."""
        ...

    def send(self, message: Message) -> Outcome:
        """Call the provider once, within its timeout, and say how the call ended."""
        ...


# The gateway of a service: what wakes its sender, what waits for whom, and by which ways somebody is told.


class Wake(NamedTuple):
    """That somebody may have to be told: a message is a wake-up, and its text is made when it is sent.

    recipient: their partition. message: its id, which begins with `at_ms` in 13 digits. kind: which of the service's.
    """

    recipient: str
    message: str
    at_ms: int
    kind: str
    part: int = 1

    def of(self, message: str) -> "Wake":
        """Return the wake-up to another message of this recipient, in the place of that one's own."""
        return self._replace(message=message, part=1)

    def next_part(self) -> "Wake":
        """Return the next part of its message, for the notices that a full delivery has no room for."""
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
