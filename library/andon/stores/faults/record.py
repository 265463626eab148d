"""A fault as it is kept. Pure."""

import re
from collections.abc import Callable
from functools import partial
from typing import NotRequired, TypedDict

from andon.events.bus_entry import Delivery, is_replayed
from andon.events.fault import MAX_ERROR_CHARACTERS, FaultErrorEntity
from andon.recorded.dated_objects import DatedObjects
from andon.runtime import times
from andon.runtime.errors import Conflict, NotFound, Poison
from andon.runtime.json_types import kept_as, members_of
from andon.runtime.strict_json import is_whole
from andon.stores.faults.store import BUCKET, FAULTS, IDS
from andon.wire.bucket import Bucket
from andon.wire.queue import INGEST, WORK, name_of

ID_PATTERN = "^[0-9A-Za-z_-]{1,128}$"  # ids stand in keys and paths as they are

_INSTEAD_OF_A_TRIGGER = "Change what it speaks of: that is published anew."
_INSTEAD_OF_A_PUSH = "Screens read all of it again within minutes."
_INSTEAD_OF_A_RULE = "Repair the rule: it is evaluated again at the next event of the kind."

_INSTEAD_OF = {"trigger": _INSTEAD_OF_A_TRIGGER, "push": _INSTEAD_OF_A_PUSH}

_PURPOSES = {"listener": WORK, "ingest": INGEST}
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
    """Read an event of type `fault`; one from the future would stay the newest for good, and is of now.

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


def summary_of(fault: Fault) -> FaultSummary:
    """Return a fault without its message and its attempts."""
    return members_of(FaultSummary, fault)


def resubmitted(fault: Fault, *, now_ms: int, actor: str) -> Fault:
    """Return a fault with a new attempt: the actor of the resubmission, and the time."""
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
    purpose = _PURPOSES.get(role)
    if purpose is None:
        instead = _INSTEAD_OF.get(role, _INSTEAD_OF_A_RULE)
        raise Conflict(f"{fault['consumer']} reads no queue to put this back on. {instead}")
    if fault.get("truncated"):
        raise Conflict("Only the beginning of the message was kept. Replay it from the archive of the bus.")
    if not _SENDABLE.fullmatch(fault["message"]):
        raise Conflict("The message has characters that no queue takes, or none at all.")
    # Listeners publish no fault of a replay, so that somebody made it up: its rows would live for as long as it says.
    if is_replayed(fault["message"]):
        raise Conflict("The message says that it is a replay, which only a replay may send.")
    return name_of(reader, purpose)


# Storage of faults: one object for each, and a claim beside it, that a fault of an id has come.
#
# A poison message that comes again is the same fault at a later time, so a key with its day alone would not find the
# first. Therefore the first to come claims the id, on condition that nobody has, together with its time. Whoever comes
# later writes under that time's key, on condition that nothing is there. After a crash between the two, retry.
#
# A fault changes when its message is resubmitted and when that fails again: each time on condition that nobody else
# changed it meanwhile. An object that cannot be read is as absent: when its message comes again it is written anew.

_bucket = Bucket(BUCKET)


class FaultClaim(TypedDict):
    """The time at which a fault came first."""

    timestamp: str


_claim_in = partial(kept_as, FaultClaim)

KEPT = DatedObjects(_bucket, FAULTS, Fault)


def keep(fault: Fault) -> bool:
    """Keep a fault, once, or note on it that a resubmission failed again; return True if that is new."""
    key, claim = _claim_of(fault["id"]), FaultClaim(timestamp=fault["timestamp"])
    if not _bucket.put_if_absent(key, claim):
        kept: FaultClaim | None = _bucket.get(key, _claim_in)
        if kept is None:
            _bucket.replace(key, claim)
        else:
            claim = kept
    first: Fault = {**fault, "timestamp": claim["timestamp"]}
    if _bucket.put_if_absent(KEPT.key_of(first), first):
        return True
    return change(first, lambda kept: failed_again(kept, fault)) is not None


def change(fault: Fault, decide: Callable[[Fault], Fault | None]) -> Fault | None:
    """Change a fault that is there already and return it; None if `decide`, which may be called again, returns that.

    One that cannot be read becomes the fault as it is given.
    What changes lives for another `KEEPS_DAYS`, so its claim must, too.
    """

    def decided(kept: Fault | None) -> Fault | None:
        return fault if kept is None else decide(kept)

    changed: Fault | None = _bucket.change(KEPT.key_of(fault), decided, KEPT.read)
    if changed is not None:
        _bucket.replace(_claim_of(fault["id"]), {"timestamp": fault["timestamp"]})
    return changed


def get(fault_id: str) -> Fault | None:
    """Return one fault, None if there is none."""
    claim: FaultClaim | None = _bucket.get(_claim_of(fault_id), _claim_in)
    fault: Fault | None = claim and _bucket.get(KEPT.key_of({"id": fault_id, **claim}), KEPT.read)
    return fault


def _claim_of(fault_id: str) -> str:
    return f"{IDS}/{fault_id}.json"
