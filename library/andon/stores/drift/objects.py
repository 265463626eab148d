"""Storage of findings: an object for each, in a folder for each day."""

from functools import partial

from andon.runtime.json_types import kept_as
from andon.stores.drift.finding import Finding, key_of
from andon.stores.drift.store import BUCKET, FOLDER
from andon.wire.bucket import Bucket
from andon.wire.newest_objects import page_of_newest

_bucket = Bucket(BUCKET)


def keep(finding: Finding) -> bool:
    """Keep a finding, once; return True if it is new."""
    return _bucket.put_if_absent(key_of(finding), finding)


def page(*, limit: int, after: str | None) -> tuple[list[Finding], str | None]:
    """Return up to `limit` findings, newest first, from behind the key `after`; and the last key, if there are more."""
    return page_of_newest(_bucket, FOLDER, partial(kept_as, Finding), limit=limit, after=after)
