"""Entities of telling people."""

from typing import Literal, TypedDict

from andon.runtime.marks import NotRequired
from contract.entities.alerts import CallRef
from contract.entities.logs import LogRef


class MessageEntity(TypedDict):
    """`message`: requests to a person in the slot that begins then (epoch milliseconds) may have to be told.

    kind: `now`, `later` or `overdue`; `over`: all that a message told is over, whose id this one's ends with;
    `code.<channel>` and `test.<channel>`: the person asked for it, at `slot`.
    """

    person: str
    id: str
    slot: int
    kind: str


class Telling(TypedDict):
    """A message to a person, about so many requests for help; `about`: their logs or calls, each once."""

    person: str
    message: str
    about: list[LogRef | CallRef]
    of: int


class ToldEntity(Telling):
    """`told`: a channel took the message. repeated: perhaps it did so before."""

    channel: str
    providerId: str
    repeated: NotRequired[Literal[True]]


class TellingEntity(Telling):
    """`telling`: a person was told of a piece of equipment; `about`: those of its logs and calls that are in it."""

    equipmentId: str
    channel: str


class FailedEntity(Telling):
    """`failure`: nobody is told by a channel; without one: by none that is left, or not in time."""

    channel: NotRequired[str]
    reason: str
