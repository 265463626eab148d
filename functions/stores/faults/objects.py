"""Where the fault store keeps its faults: one object for each, and a claim beside it.

A poison message that comes again is the same fault at a later time, so a key with its day alone would not find the
first. Therefore the first to come claims the id, on condition that nobody has, together with its time. Whoever comes
later writes under that time's key, on condition that nothing is there. After a crash between the two, retry.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from patterns.runtime.bucket import Bucket
from stores.faults.record import Fault, key_of
from stores.faults.store import BUCKET, FAULTS, IDS

PARALLEL = 16  # as many connections as botocore_client.py keeps open

_bucket = Bucket(BUCKET)


def keep(fault: Fault) -> bool:
    """Keep a fault, once; return whether it is new."""
    claim = _claim_of(fault["id"])
    timestamp = fault["timestamp"]
    if not _bucket.put_if_absent(claim, {"timestamp": timestamp}):
        timestamp = _bucket.require(claim)["timestamp"]
    first: Fault = {**fault, "timestamp": timestamp}
    return _bucket.put_if_absent(key_of(first["id"], timestamp), first)


def replace(fault: Fault) -> None:
    """Replace a fault that is there already."""
    _bucket.replace(key_of(fault["id"], fault["timestamp"]), fault)


def get(fault_id: str) -> Fault | None:
    """Return one fault, None if there is none."""
    claim = _bucket.get(_claim_of(fault_id))
    fault: Fault | None = claim and _bucket.get(key_of(fault_id, claim["timestamp"]))
    return fault


def page(*, limit: int, after: str | None) -> tuple[list[Fault], str | None]:
    """Return up to `limit` faults, newest first, from behind the key `after`; and the last key, if there are more."""
    keys = list(islice(_keys(after or ""), limit + 1))
    with ThreadPoolExecutor(PARALLEL) as pool:
        found = list(pool.map(_bucket.get, keys[:limit]))
    # S3 may have removed one since it was listed.
    return [fault for fault in found if fault is not None], keys[limit - 1] if len(keys) > limit else None


def _claim_of(fault_id: str) -> str:
    return f"{IDS}/{fault_id}.json"


def _keys(after: str) -> Iterator[str]:
    """List the keys of all faults behind `after`: days newest first, within a day as S3 sorts them (see `key_of`)."""
    for day in sorted(_bucket.folders(f"{FAULTS}/"), reverse=True):
        if after and day > after:
            continue
        yield from _bucket.keys(day, after=after if after.startswith(day) else "")
