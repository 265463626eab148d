"""A channel to people, as mail or SMS: what is sent by it, and how a call of its provider may end. Pure.

Which of the four outcomes a channel gives decides what happens next, so a channel never raises for what its provider
answers; what it raises is a defect, and counts as `Unknown`.
"""

from typing import Literal, NamedTuple, Protocol

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
