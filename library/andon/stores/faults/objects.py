"""Storage of faults: one object for each, and a claim beside it.

A poison message that comes again is the same fault at a later time, so a key with its day alone would not find the
first. Therefore the first to come claims the id, on condition that nobody has, together with its time. Whoever comes
later writes under that time's key, on condition that nothing is there. After a crash between the two, retry.

A fault changes when its message is resubmitted and when that fails again: each time on condition that nobody else
changed it meanwhile. An object that cannot be read is as absent: when its message comes again it is written anew.
"""

from collections.abc import Callable
from functools import partial
from typing import TypedDict

from andon.runtime.json_types import kept_as
from andon.stores.faults.record import Fault, failed_again, key_of
from andon.stores.faults.store import BUCKET, FAULTS, IDS
from andon.wire.bucket import Bucket
from andon.wire.newest_objects import page_of_newest

_bucket = Bucket(BUCKET)


class FaultClaim(TypedDict):
    """The time at which a fault came first."""

    timestamp: str


_claim_in, _fault_in = partial(kept_as, FaultClaim), partial(kept_as, Fault)


def keep(fault: Fault) -> bool:
    """Keep a fault, once, or note on it that a resubmission failed again; return whether that is new."""
    key, claim = _claim_of(fault["id"]), FaultClaim(timestamp=fault["timestamp"])
    if not _bucket.put_if_absent(key, claim):
        kept: FaultClaim | None = _bucket.get(key, _claim_in)
        if kept is None:
            _bucket.replace(key, claim)
        else:
            claim = kept
    first: Fault = {**fault, "timestamp": claim["timestamp"]}
    if _bucket.put_if_absent(key_of(first["id"], first["timestamp"]), first):
        return True
    return change(first, lambda kept: failed_again(kept, fault)) is not None


def change(fault: Fault, decide: Callable[[Fault], Fault | None]) -> Fault | None:
    """Change a fault that is there already and return it; None if `decide`, which may be called again, returns that.

    One that cannot be read becomes the fault as it is given.
    What changes lives for another `KEEPS_DAYS`, so its claim must, too.
    """

    def decided(kept: Fault | None) -> Fault | None:
        return fault if kept is None else decide(kept)

    changed: Fault | None = _bucket.change(key_of(fault["id"], fault["timestamp"]), decided, _fault_in)
    if changed is not None:
        _bucket.replace(_claim_of(fault["id"]), {"timestamp": fault["timestamp"]})
    return changed


def get(fault_id: str) -> Fault | None:
    """Return one fault, None if there is none."""
    claim: FaultClaim | None = _bucket.get(_claim_of(fault_id), _claim_in)
    fault: Fault | None = claim and _bucket.get(key_of(fault_id, claim["timestamp"]), _fault_in)
    return fault


def page(*, limit: int, after: str | None) -> tuple[list[Fault], str | None]:
    """Return up to `limit` faults, newest first, from behind the key `after`; and the last key, if there are more."""
    return page_of_newest(_bucket, FAULTS, _fault_in, limit=limit, after=after)


def _claim_of(fault_id: str) -> str:
    return f"{IDS}/{fault_id}.json"
