"""Messages that somebody asked for about an address of their own: a code that proves it, or a test. Pure.

They wake the sender as others do, under an id that says kind and channel, and are claimed as others are. Nobody is told
of anything by them: they become no fact, wait for no digest, and hold back nothing that is loud.
"""

from typing import Any, Final, Literal, NamedTuple

from andon.dynamodb.attribute_values import Item
from andon.outbound.delivery import Notice, Way
from andon.runtime.clock import MINUTE_MS
from services.notify import message
from services.notify.contact import CHANNELS, Channel
from services.notify.reach import way_to
from services.notify.words import Text, in_language

Kind = Literal["code", "test"]

CODE: Final[Kind] = "code"
TEST: Final[Kind] = "test"
KINDS: Final = frozenset({CODE, TEST})

LIFETIME_MS: Final = 10 * MINUTE_MS
"""A code counts for so long."""


class Proof(NamedTuple):
    """Kind and channel of a message that somebody asked for."""

    kind: Kind
    channel: Channel


class ProofMessage(NamedTuple):
    """Content of such a message, and its address: a text, or a subscription; code: empty for a test."""

    proof: Proof
    code: str
    address: Any
    language: str


def row_of(person: str, proof: Proof, *, actor: str, now_ms: int) -> Item:
    """Return the row that wakes the sender; one of a kind and a channel in a millisecond."""
    row = message.row_of(person, now_ms, f"{proof.kind}.{proof.channel}", at_ms=now_ms)
    return {**message.key_of(row), **row, "changedBy": actor}


def proof_in(message_id: str) -> Proof | None:
    """Return kind and channel of a message, by its id; None: nobody asked for it, it tells of something."""
    _, kind, channel = (*message_id.split("."), "")[:3]
    return Proof(kind, channel) if kind in KINDS and channel in CHANNELS else None


def notice_of(message_id: str, asked: ProofMessage, at_ms: int) -> Notice:
    """Return the notice of such a message: the message itself waits."""
    return Notice(id=message_id, at_ms=at_ms, about={"message": message_id}, is_urgent=True, detail=asked)


def asked_in(notice: Notice) -> ProofMessage:
    """Return the message in a notice."""
    if not isinstance(notice.detail, ProofMessage):
        raise TypeError("nobody asked for this notice")
    return notice.detail


def way_of(asked: ProofMessage) -> Way:
    """Return the one way: neither quiet hours nor earlier loud ones hold it back; paid ones are limited as ever."""
    return way_to(asked.proof.channel, asked.address, asked.language)


def proof_text(asked: ProofMessage) -> Text:
    """Return the text of such a message."""
    words = in_language(asked.language)
    text = words.code if asked.proof.kind == CODE else words.test
    minutes = words.counted(words.minutes, LIFETIME_MS // MINUTE_MS)
    return Text(text.subject.format(code=asked.code), text.text.format(minutes=minutes))
