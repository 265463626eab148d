"""A fault as it is kept and told.

`{id, timestamp, consumer, error: {name, message}, message, truncated?, resubmittedAt?, resubmittedBy?}`; times are
fixed-width UTC.
"""

import re
from collections.abc import Mapping
from typing import Any

from contract import times
from patterns.events.domain_event import DomainEvent
from patterns.runtime.errors import Conflict, NotFound, Poison
from stores.faults.store import FAULTS

ID_PATTERN = "^[0-9A-Za-z_-]{1,128}$"  # what stands in keys and paths as it is

DAY_MS = 24 * 60 * 60 * 1000

Fault = Mapping[str, Any]

OF_A_TRIGGER = "Change what it speaks of: that is published anew."
OF_A_RULE = "Repair the rule: it is evaluated again at the next event of the kind."

_ID = re.compile(ID_PATTERN, re.ASCII)


def fault_told_by(event: DomainEvent) -> Fault:
    """Read what an event of type `fault` tells.

    Raises:
        Poison: it cannot be kept.

    """
    told = event.entity("fault")
    error, message = told.get("error"), told.get("message")
    if not isinstance(error, dict) or not isinstance(message, str) or not _ID.fullmatch(event.id):
        raise Poison("not a fault as our consumers publish them")
    fault = {
        "id": event.id,
        "timestamp": times.to_utc(event.timestamp),
        "consumer": told.text("consumer"),
        "error": {"name": str(error.get("name")), "message": str(error.get("message"))},
        "message": message,
    }
    return fault | ({"truncated": True} if told.get("truncated") else {})


def key_of(fault: Fault) -> str:
    """Give the key: by day, and within a day so that S3, which lists in ascending order only, has the newest first."""
    left_ms = DAY_MS - 1 - times.to_ms(fault["timestamp"]) % DAY_MS
    return f"{FAULTS}/{fault['timestamp'][:10]}/{left_ms:08}-{fault['id']}.json"


def summary(fault: Fault) -> dict[str, Any]:
    """Give what a list tells: all but the message, which can be long."""
    return {name: value for name, value in fault.items() if name != "message"}


def resubmitted(fault: Fault, *, now_ms: int, actor: str) -> Fault:
    """Note who put the message back, and when."""
    return {**fault, "resubmittedAt": times.to_utc(now_ms), "resubmittedBy": actor}


def there(fault: Fault | None) -> Fault:
    """Give a fault back unless it is none.

    Raises:
        NotFound: it is.

    """
    if fault is None:
        raise NotFound("There is no such fault.")
    return fault


def reader_of(fault: Fault) -> str:
    """Return who has the queue that a message came from: `state_log.listener` -> `state_log`.

    Raises:
        Conflict: it came from no queue, or not all of it was kept.

    """
    reader, _, role = fault["consumer"].rpartition(".")
    if role != "listener":
        instead = OF_A_TRIGGER if role == "trigger" else OF_A_RULE
        raise Conflict(f"{fault['consumer']} reads no queue to put this back on. {instead}")
    if fault.get("truncated"):
        raise Conflict("Only the beginning of the message was kept. Replay it from the archive of the bus.")
    return str(reader)
