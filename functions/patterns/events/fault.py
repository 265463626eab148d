"""A fault: the event that keeps a message which can never succeed, so that nothing is lost and nobody is blocked."""

import hashlib
from typing import Any

from patterns.events.domain_event import DomainEvent

TYPE = "fault"

# Leaves room in an entry of 256 KB, even where every character is escaped or three bytes long.
MAX_MESSAGE_CHARACTERS = 40_000
MAX_ERROR_CHARACTERS = 1_000


def fault_of(error: Exception, message: str, *, consumer: str, now_ms: int) -> DomainEvent:
    """Build the fault of `message` at `consumer`, under an id that is the same however often the message comes.

    Entity `fault`: `{consumer, error: {name, message}, message, truncated?}`; `message` is the original, as text.
    """
    fault: dict[str, Any] = {
        "consumer": consumer,
        "error": {"name": type(error).__name__, "message": _printable(str(error)[:MAX_ERROR_CHARACTERS])},
        "message": _printable(message[:MAX_MESSAGE_CHARACTERS]),
    }
    if len(message) > MAX_MESSAGE_CHARACTERS:
        fault["truncated"] = True
    digest = hashlib.sha256(f"{consumer}\n{message}".encode(errors="surrogatepass")).hexdigest()
    return DomainEvent(
        id=digest,
        type=TYPE,
        timestamp=now_ms,
        partition_key=consumer,
        entities={"fault": fault},
        tags={"source": consumer},
    )


def _printable(text: str) -> str:
    """Escape lone surrogates, which no JSON on the wire can carry."""
    return text.encode(errors="backslashreplace").decode()
