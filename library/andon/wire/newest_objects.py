"""Pages of a bucket in which each object lies in a folder for its day, newest day first."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from andon.wire.bucket import Bucket, Content
from andon.wire.in_threads import at_once


def page_of_newest(
    bucket: Bucket, folder: str, read: Callable[[bytes], Content], *, limit: int, after: str | None
) -> tuple[list[Content], str | None]:
    """Return up to `limit` objects, newest first, from behind the key `after`; and the last key, if there are more."""
    keys = list(islice(_keys(bucket, folder, after or ""), limit + 1))
    found = at_once(partial(bucket.get, key, read) for key in keys[:limit])
    # S3 may have removed one since it was listed, and one may be broken.
    return [one for one in found if one is not None], keys[limit - 1] if len(keys) > limit else None


def _keys(bucket: Bucket, folder: str, after: str) -> Iterator[str]:
    """List the keys of all objects behind `after`: days newest first, within a day as S3 sorts them."""
    for day in sorted(bucket.folders(f"{folder}/"), reverse=True):
        if after and day > after:
            continue
        yield from bucket.keys(day, after=after if after.startswith(day) else "")
