"""A fault as it is kept. Pure."""

import re
from typing import NotRequired, TypedDict, cast

from contract import times
from patterns.events.domain_event import DomainEvent
from patterns.events.fault import FaultErrorEntity
from patterns.runtime.errors import Conflict, NotFound, Poison
from stores.faults.store import FAULTS

ID_PATTERN = "^[0-9A-Za-z_-]{1,128}$"  # ids stand in keys and paths as they are

DAY_MS = 24 * 60 * 60 * 1000

INSTEAD_OF_A_TRIGGER = "Change what it speaks of: that is published anew."
INSTEAD_OF_A_RULE = "Repair the rule: it is evaluated again at the next event of the kind."

_ID = re.compile(ID_PATTERN, re.ASCII)


class FaultSummary(TypedDict):
    """A fault without its message, which can be long. `timestamp` is when it came first; times are fixed-width UTC."""

    id: str
    timestamp: str
    consumer: str
    error: FaultErrorEntity
    truncated: NotRequired[bool]
    resubmittedAt: NotRequired[str]
    resubmittedBy: NotRequired[str]


class Fault(FaultSummary):
    """A fault with the original message, as text."""

    message: str


def fault_in(event: DomainEvent) -> Fault:
    """Read an event of type `fault`.

    Raises:
        Poison: it cannot be kept.

    """
    entity = event.entity("fault")
    error, message = entity.get("error"), entity.get("message")
    if not isinstance(error, dict) or not isinstance(message, str) or not _ID.fullmatch(event.id):
        raise Poison("not a fault as our consumers publish them")
    fault: Fault = {
        "id": event.id,
        "timestamp": times.to_utc(event.timestamp_ms),
        "consumer": entity.text("consumer"),
        "error": {"name": str(error.get("name")), "message": str(error.get("message"))},
        "message": message,
    }
    return {**fault, "truncated": True} if entity.get("truncated") else fault


def key_of(fault_id: str, timestamp: str) -> str:
    """Return a fault's key: `faults/<day>/<milliseconds left of the day>-<id>.json`.

    S3 lists in ascending order only; by the milliseconds that are left, the newest of a day comes first.
    """
    left_ms = DAY_MS - 1 - times.to_ms(timestamp) % DAY_MS
    return f"{FAULTS}/{timestamp[:10]}/{left_ms:08}-{fault_id}.json"


def summary_of(fault: Fault) -> FaultSummary:
    """Return a fault without its message."""
    return cast("FaultSummary", {name: value for name, value in fault.items() if name != "message"})


def resubmitted(fault: Fault, *, now_ms: int, actor: str) -> Fault:
    """Return a fault that notes who put its message back, and when."""
    return {**fault, "resubmittedAt": times.to_utc(now_ms), "resubmittedBy": actor}


def require_fault(fault: Fault | None) -> Fault:
    """Return the fault.

    Raises:
        NotFound: there is none.

    """
    if fault is None:
        raise NotFound("There is no such fault.")
    return fault


def reader_of(fault: Fault) -> str:
    """Return whose queue a message came from: `state_log.listener` -> `state_log`.

    Raises:
        Conflict: it came from no queue, or not all of it was kept.

    """
    reader, _, role = fault["consumer"].rpartition(".")
    if role != "listener":
        instead = INSTEAD_OF_A_TRIGGER if role == "trigger" else INSTEAD_OF_A_RULE
        raise Conflict(f"{fault['consumer']} reads no queue to put this back on. {instead}")
    if fault.get("truncated"):
        raise Conflict("Only the beginning of the message was kept. Replay it from the archive of the bus.")
    return str(reader)
