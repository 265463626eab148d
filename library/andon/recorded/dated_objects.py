"""Objects by day, the newest first: the common part of the stores of faults and of drift."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Generic, TypedDict, TypeVar

from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import kept_as
from andon.wire.bucket import Bucket
from andon.wire.in_threads import at_once


class _Dated(TypedDict):
    """The members that make an object's key: its `id`, and its `timestamp`, fixed-width UTC."""

    id: str
    timestamp: str


Kept = TypeVar("Kept", bound=_Dated)


class DatedObjects(Generic[Kept]):
    """Objects of a bucket's folder, in a folder for each day, so that the newest are listed first."""

    def __init__(self, bucket: Bucket, folder: str, kind: type[Kept]) -> None:
        self.bucket, self.folder, self.read = bucket, folder, partial(kept_as, kind)

    def key_of(self, one: _Dated) -> str:
        """Return an object's key: `<folder>/<day>/<milliseconds left of the day>-<id>.json`.

        S3 lists in ascending order only; by the milliseconds that are left, the newest of a day comes first.
        """
        left_ms = DAY_MS - 1 - times.to_ms(one["timestamp"]) % DAY_MS
        return f"{self.folder}/{one['timestamp'][:10]}/{left_ms:08}-{one['id']}.json"

    def find(self, *, limit: int, after: str) -> tuple[list[Kept], str | None]:
        """Return up to `limit` objects from behind the key `after`; and the last key, if there are more."""
        keys = list(islice(self._keys(after), limit + 1))
        found = at_once(partial(self.bucket.get, key, self.read) for key in keys[:limit])
        # S3 may have removed one since it was listed, and one may be broken.
        return [one for one in found if one is not None], keys[limit - 1] if len(keys) > limit else None

    def _keys(self, after: str) -> Iterator[str]:
        """List the keys of all objects behind `after`: days newest first, within a day as S3 sorts them."""
        for day in sorted(self.bucket.folders(f"{self.folder}/"), reverse=True):
            if after and day > after:
                continue
            yield from self.bucket.keys(day, after=after if after.startswith(day) else "")
