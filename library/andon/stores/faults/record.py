"""A fault as it is kept. Pure."""

import re
from typing import NotRequired, TypedDict

from andon.events.bus_entry import Delivery, is_replayed
from andon.events.fault import MAX_ERROR_CHARACTERS, FaultErrorEntity
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Conflict, NotFound, Poison
from andon.runtime.json_types import members_of
from andon.runtime.whole_number import is_whole
from andon.stores.faults.store import FAULTS
from andon.wire.queue import INGEST, WORK, name_of

ID_PATTERN = "^[0-9A-Za-z_-]{1,128}$"  # ids stand in keys and paths as they are

INSTEAD_OF_A_TRIGGER = "Change what it speaks of: that is published anew."
INSTEAD_OF_A_PUSH = "Screens read all of it again within minutes."
INSTEAD_OF_A_RULE = "Repair the rule: it is evaluated again at the next event of the kind."

INSTEAD_OF = {"trigger": INSTEAD_OF_A_TRIGGER, "push": INSTEAD_OF_A_PUSH}

PURPOSES = {"listener": WORK, "ingest": INGEST}
"""The purpose of the queue that a role reads."""

# The newest ones; a list of faults counts all of them.
ATTEMPTS_KEPT = 10

# A queue takes no other characters, and no empty message.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
_SENDABLE = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")
_ID = re.compile(ID_PATTERN, re.ASCII)


class Attempt(TypedDict):
    """A resubmission of a fault's message; `failedAt` and `error`: the consumer could not use it that time either."""

    resubmittedAt: str
    resubmittedBy: str
    failedAt: NotRequired[str]
    error: NotRequired[FaultErrorEntity]


class FaultSummary(TypedDict):
    """A fault without its message, which can be long. `timestamp` is when it came first; times are fixed-width UTC.

    facts: so many facts of one group are its message, if there are several.
    resubmissions: how many there were. resubmittedAt, resubmittedBy, failedAgainAt: of the last one.
    """

    id: str
    timestamp: str
    consumer: str
    error: FaultErrorEntity
    truncated: NotRequired[bool]
    facts: NotRequired[int]
    resubmittedAt: NotRequired[str]
    resubmittedBy: NotRequired[str]
    resubmissions: NotRequired[int]
    failedAgainAt: NotRequired[str]


class Fault(FaultSummary):
    """A fault with the original message, as text, and the newest attempts to resubmit it, in order."""

    message: str
    attempts: NotRequired[list[Attempt]]


def fault_in(delivery: Delivery, *, now_ms: int) -> Fault:
    """Read an event of type `fault`; one whose time lies ahead would be the newest for good, and is of now.

    Raises:
        Poison: it cannot be kept, or another service than the consumer's says it.

    """
    event, entity = delivery.event, delivery.event.entity("fault")
    error, message, consumer = entity.get("error"), entity.get("message"), entity.text("consumer")
    if consumer.partition(".")[0] != delivery.source:
        raise Poison(f"{delivery.source} says what {consumer} gave up")
    if not isinstance(error, dict) or not isinstance(message, str) or not _ID.fullmatch(event.id):
        raise Poison("not a fault as our consumers publish them")
    fault: Fault = {
        "id": event.id,
        "timestamp": times.to_utc(times.known_by(event.timestamp_ms, now_ms=now_ms)),
        "consumer": consumer,
        "error": {
            "name": str(error.get("name"))[:MAX_ERROR_CHARACTERS],
            "message": str(error.get("message"))[:MAX_ERROR_CHARACTERS],
        },
        "message": message,
    }
    if entity.get("truncated"):
        fault["truncated"] = True
    if is_whole(facts := entity.get("facts")):
        fault["facts"] = facts
    return fault


def key_of(fault_id: str, timestamp: str) -> str:
    """Return a fault's key: `faults/<day>/<milliseconds left of the day>-<id>.json`.

    S3 lists in ascending order only; by the milliseconds that are left, the newest of a day comes first.
    """
    left_ms = DAY_MS - 1 - times.to_ms(timestamp) % DAY_MS
    return f"{FAULTS}/{timestamp[:10]}/{left_ms:08}-{fault_id}.json"


def summary_of(fault: Fault) -> FaultSummary:
    """Return a fault without its message and its attempts."""
    return members_of(FaultSummary, fault)


def resubmitted(fault: Fault, *, now_ms: int, actor: str) -> Fault:
    """Return a fault with a new attempt: the actor who resubmits its message, and the time."""
    attempt: Attempt = {"resubmittedAt": times.to_utc(now_ms), "resubmittedBy": actor}
    return _with([*fault.get("attempts", []), attempt], {**fault, "resubmissions": fault.get("resubmissions", 0) + 1})


def failed_again(fault: Fault, failure: Fault) -> Fault | None:
    """Return a fault that notes a later failure of its message; None if no attempt ended in it, or if it is noted.

    The failure belongs to the newest attempt before it that has none. A failure of an earlier time is a duplicate.
    """
    failed_at, attempts = failure["timestamp"], fault.get("attempts", [])
    if failed_at == fault["timestamp"] or any(attempt.get("failedAt") == failed_at for attempt in attempts):
        return None
    for number, attempt in reversed(list(enumerate(attempts))):
        if "failedAt" not in attempt and attempt["resubmittedAt"] <= failed_at:
            failed: Attempt = {**attempt, "failedAt": failed_at, "error": failure["error"]}
            return _with([*attempts[:number], failed, *attempts[number + 1 :]], fault)
    return None


def _with(attempts: list[Attempt], fault: Fault) -> Fault:
    """Return a fault with these attempts, and the members that a list shows of the last one."""
    last = attempts[-1]
    changed: Fault = {
        **fault,
        "resubmittedAt": last["resubmittedAt"],
        "resubmittedBy": last["resubmittedBy"],
        "attempts": attempts[-ATTEMPTS_KEPT:],
    }
    changed.pop("failedAgainAt", None)
    return {**changed, "failedAgainAt": last["failedAt"]} if "failedAt" in last else changed


def require_fault(fault: Fault | None) -> Fault:
    """Return the fault.

    Raises:
        NotFound: there is none.

    """
    if fault is None:
        raise NotFound("There is no such fault.")
    return fault


def queue_of(fault: Fault) -> str:
    """Return the name of the queue that a message came from: `state_log.listener` -> `state_log-Queue`.

    Raises:
        Conflict: it came from no queue, not all of it was kept, no queue takes it, or it is marked as a replay.

    """
    reader, _, role = fault["consumer"].rpartition(".")
    purpose = PURPOSES.get(role)
    if purpose is None:
        instead = INSTEAD_OF.get(role, INSTEAD_OF_A_RULE)
        raise Conflict(f"{fault['consumer']} reads no queue to put this back on. {instead}")
    if fault.get("truncated"):
        raise Conflict("Only the beginning of the message was kept. Replay it from the archive of the bus.")
    if not _SENDABLE.fullmatch(fault["message"]):
        raise Conflict("The message has characters that no queue takes, or none at all.")
    # Listeners publish no fault of a replay, so that somebody made it up: its rows would live for as long as it says.
    if is_replayed(fault["message"]):
        raise Conflict("The message says that it is a replay, which only a replay may send.")
    return name_of(reader, purpose)
