"""Storage of faults: one object for each, and a claim beside it.

A poison message that comes again is the same fault at a later time, so a key with its day alone would not find the
first. Therefore the first to come claims the id, on condition that nobody has, together with its time. Whoever comes
later writes under that time's key, on condition that nothing is there. After a crash between the two, retry.

A fault changes when its message is resubmitted and when that fails again: each time on condition that nobody else
changed it meanwhile.
"""

from collections.abc import Callable

from andon.stores.faults.record import Fault, failed_again, key_of
from andon.stores.faults.store import BUCKET, FAULTS, IDS
from andon.wire.bucket import Bucket
from andon.wire.newest_objects import page_of_newest

_bucket = Bucket(BUCKET)


def keep(fault: Fault) -> bool:
    """Keep a fault, once, or note on it that a resubmission failed again; return whether that is new."""
    claim = _claim_of(fault["id"])
    timestamp = fault["timestamp"]
    if not _bucket.put_if_absent(claim, {"timestamp": timestamp}):
        timestamp = _bucket.require(claim)["timestamp"]
    first: Fault = {**fault, "timestamp": timestamp}
    if _bucket.put_if_absent(key_of(first["id"], timestamp), first):
        return True
    return change(first, lambda kept: failed_again(kept, fault)) is not None


def change(fault: Fault, decide: Callable[[Fault], Fault | None]) -> Fault | None:
    """Change a fault that is there already and return it; None if `decide`, which may be called again, returns that.

    What changes lives for another `KEEPS_DAYS`, so its claim must, too.
    """
    changed: Fault | None = _bucket.change(key_of(fault["id"], fault["timestamp"]), decide)
    if changed is not None:
        _bucket.replace(_claim_of(fault["id"]), {"timestamp": fault["timestamp"]})
    return changed


def get(fault_id: str) -> Fault | None:
    """Return one fault, None if there is none."""
    claim = _bucket.get(_claim_of(fault_id))
    fault: Fault | None = claim and _bucket.get(key_of(fault_id, claim["timestamp"]))
    return fault


def page(*, limit: int, after: str | None) -> tuple[list[Fault], str | None]:
    """Return up to `limit` faults, newest first, from behind the key `after`; and the last key, if there are more."""
    return page_of_newest(_bucket, FAULTS, limit=limit, after=after)


def _claim_of(fault_id: str) -> str:
    return f"{IDS}/{fault_id}.json"
