"""A fault: the event with a message in it that can never succeed, so that nothing is lost and no neighbour waits."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from andon.events.actor import ACTOR
from andon.events.domain_event import DomainEvent
from andon.events.group import BILLED_BYTES, body_of
from andon.runtime import json_text
from andon.runtime.batches import batches

TYPE = "fault"

# As many as a group has, so that one of another version can be put back when it can be read. At most 400 KB, even where
# every character is escaped or three bytes long: half of what the bus takes.
MAX_MESSAGE_CHARACTERS = BILLED_BYTES
MAX_ERROR_CHARACTERS = 1_000


class FaultErrorEntity(TypedDict):
    """The type of the error, and the beginning of its words."""

    name: str
    message: str


class FaultEntity(TypedDict):
    """`fault`: the consumer that gave up, why, and the original message as text.

    truncated: its beginning only. facts: so many bad facts of one group are the message; the error is the first one's.
    """

    consumer: str
    error: FaultErrorEntity
    message: str
    truncated: NotRequired[bool]
    facts: NotRequired[int]


def faults_of_facts(bad: Sequence[tuple[str, Exception]], *, consumer: str, now_ms: int) -> list[DomainEvent]:
    """Return the faults of bad facts that came in one message: as few as have room for them; of one, that of it alone.

    bad: the message in which each would have come alone, and its error.
    """
    sized = [(one, len(one[0]) + 1) for one in bad]
    faults = list[DomainEvent]()
    for some in batches(sized, most=len(sized), most_bytes=MAX_MESSAGE_CHARACTERS):
        bodies, error = [body for body, _ in some], some[0][1]
        message = bodies[0] if len(bodies) == 1 else body_of(bodies)
        faults.append(fault_of(error, message, consumer=consumer, now_ms=now_ms, facts=len(bodies)))
    return faults


def fault_of(error: Exception, message: str, *, consumer: str, now_ms: int, facts: int = 1) -> DomainEvent:
    """Return the fault of `message` at `consumer`."""
    fault: FaultEntity = {
        "consumer": consumer,
        "error": {"name": type(error).__name__, "message": _printable(str(error)[:MAX_ERROR_CHARACTERS])},
        "message": _printable(message[:MAX_MESSAGE_CHARACTERS]),
    }
    if len(message) > MAX_MESSAGE_CHARACTERS:
        fault["truncated"] = True
    if facts > 1:
        fault["facts"] = facts
    return DomainEvent(
        id=id_of(consumer, message),
        type=TYPE,
        timestamp_ms=now_ms,
        partition_key=consumer,
        entities={"fault": fault},
        tags={"source": consumer, ACTOR: consumer},
    )


def id_of(consumer: str, message: str) -> str:
    """Return the id of a fault: the same however often a message comes to a consumer.

    Of a fact it is the same however often it is published, alone or beside good ones.
    """
    import hashlib  # noqa: PLC0415  it loads OpenSSL, and few messages are poison

    return hashlib.sha256(f"{consumer}\n{_said_in(message)}".encode(errors="surrogatepass")).hexdigest()


def _said_in(message: str) -> str:
    """Return the content of a message, without the bus's additions; all of a message that is no fact."""
    try:
        envelope = json_text.members(message)
        return "\n".join(envelope[name] for name in ("source", "detail-type", "detail"))
    except (ValueError, KeyError):
        return message


def _printable(text: str) -> str:
    """Escape lone surrogates, which no JSON on the wire can carry."""
    return text.encode(errors="backslashreplace").decode()
