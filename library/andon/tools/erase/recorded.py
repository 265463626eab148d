"""The lake and the archive without mentions of a person: the lake's objects under their keys, the archive's days gone.

The archive is a copy by day: it is written again, from the lake, by its own sweep. It goes before the lake's object is
replaced, or it would be the last one to have the name.
"""

from andon.recorded import lake
from andon.recorded.archive import data_folder, index_folder, manifest_key
from andon.recorded.lake import DAY
from andon.stores.archive.store import KINDS
from andon.tools.erase.counted import SweepCounts
from andon.tools.erase.mentions import Mentions
from andon.tools.erase.objects import Erased, StoredObject, SweptBucket, in_place, sweep


def sweep_lake(bucket: SweptBucket, archive: SweptBucket, mentions: Mentions, *, dry_run: bool) -> SweepCounts:
    """Erase the mentions in the lake, and the days of the archive that were made of them."""

    def write(_: SweptBucket, found: StoredObject, erased: Erased) -> None:
        if lake.OBJECT.fullmatch(found.key):
            _remove_day(archive, lake.hour_in(found.key)[:10])
        in_place(bucket, found, erased)

    return sweep(bucket, mentions, write=write, dry_run=dry_run)


def sweep_archive(bucket: SweptBucket, mentions: Mentions, *, dry_run: bool) -> SweepCounts:
    """Remove the days in which there is a mention still, and erase those in its jobs.

    A day that was being written while the lake was swept has the lake's objects as they were.
    """

    def write(_: SweptBucket, found: StoredObject, erased: Erased) -> None:
        if f"/{DAY}" in found.key:
            _remove_day(bucket, found.key.partition(f"/{DAY}")[2][:10])
        else:
            in_place(bucket, found, erased)

    return sweep(bucket, mentions, write=write, dry_run=dry_run)


def _remove_day(archive: SweptBucket, day: str) -> None:
    """Remove a day of all kinds: first the manifest, from which on nobody reads the others."""
    for kind in KINDS:
        archive.remove(manifest_key(kind.name, day))
        for folder in (index_folder(kind.name, day), data_folder(kind.name, day)):
            for key in archive.keys(folder):
                archive.remove(key)
