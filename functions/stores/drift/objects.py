"""Where findings are kept: an object for each, in a folder for each day."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from patterns.runtime.bucket import Bucket
from stores.drift.finding import Finding, key_of
from stores.drift.store import BUCKET, FOLDER

PARALLEL = 16  # as many connections as botocore_client.py keeps open

_bucket = Bucket(BUCKET)


def keep(finding: Finding) -> bool:
    """Keep a finding, once; return whether it is new."""
    return _bucket.put_if_absent(key_of(finding), finding)


def page(*, limit: int, after: str | None) -> tuple[list[Finding], str | None]:
    """Return up to `limit` findings, newest first, from behind the key `after`; and the last key, if there are more."""
    keys = list(islice(_keys(after or ""), limit + 1))
    with ThreadPoolExecutor(PARALLEL) as pool:
        found: list[Finding | None] = list(pool.map(_bucket.get, keys[:limit]))
    # S3 may have removed one since it was listed.
    return [one for one in found if one is not None], keys[limit - 1] if len(keys) > limit else None


def _keys(after: str) -> Iterator[str]:
    """List the keys of all findings behind `after`: days newest first, within a day as S3 sorts them."""
    for day in sorted(_bucket.folders(f"{FOLDER}/"), reverse=True):
        if after and day > after:
            continue
        yield from _bucket.keys(day, after=after if after.startswith(day) else "")
