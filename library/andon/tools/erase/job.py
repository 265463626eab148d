"""The job of erasing a person, as its row beside the names says it: begun, swept, finished. Steps repeat harmlessly.

| step | what the row then says |
|---|---|
| look: count the mentions of all names | `names`, `kept`, `before`, `begunAt` |
| erase the name, the user, then the mentions | `sweptAt` |
| a day later: erase what was on its way | `again`, `after`, `finishedAt` |
| write the proof | no `names` any more |
"""

from collections.abc import Callable, Iterable
from typing import Any, Final, NotRequired, TypedDict

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.schema import Keys
from andon.runtime import strict_json, times
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import members_of
from andon.tools.erase.mentions import Mentions
from andon.tools.erase.rows import SweepCounts
from andon.tools.erase.stores import LAKE, Stores, SweptBucket
from andon.tools.stack.errors import ToolFailed

PROOFS: Final = "erasures"
"""The folder of the lake with the proofs."""

KEEP_IDS: Final = "it is left where it is an id, and replaced in texts, with KEEP_IDS=1"

Counts = dict[str, dict[str, int]]
"""By store: `seen`, `found`, `kept`, see `SweepCounts`."""


class JobRow(TypedDict):
    """The row beside its key; times in epoch milliseconds.

    before, again, after: what passes found. names: gone once it is proved.
    """

    person: str
    begunAt: int
    kept: list[str]
    before: Counts
    names: NotRequired[list[str]]
    sweptAt: NotRequired[int]
    again: NotRequired[Counts]
    after: NotRequired[Counts]
    finishedAt: NotRequired[int]


class JobTable:
    """The table of names, of which this touches the rows of jobs alone."""

    def __init__(self, dynamodb: Any, name: str, keys: Keys) -> None:  # noqa: ANN401  boto3's
        self._dynamodb, self._name, self._keys = dynamodb, name, keys

    def find(self, id_: str) -> JobRow | None:
        """Return the job of a person, None if there is none."""
        found = self._dynamodb.get_item(TableName=self._name, Key=to_typed(self._key(id_)), ConsistentRead=True)
        row = to_plain(found["Item"]) if "Item" in found else None
        return members_of(JobRow, row) if row else None

    def write(self, job: JobRow) -> JobRow:
        """Write a job as it is now."""
        self._dynamodb.put_item(TableName=self._name, Item=to_typed({**job, **self._key(job["person"])}))
        return job

    def _key(self, id_: str) -> dict[str, str | int]:
        parts = ("job",) if self._keys.sort else ()
        return self._keys.of(f"Erasure#{id_}", *parts)


def look(stores: Stores, mentions: Mentions) -> Counts:
    """Count the mentions in every store, the dead letters among them."""
    return counts_of([*stores.sweep(mentions, dry_run=True), *stores.wait_in_dead_letters(mentions)])


def begin(
    stores: Stores, id_: str, names: Iterable[str], *, before: JobRow | None, keep_ids: bool, now_ms: int
) -> JobRow:
    """Return a job for some names; before: that of earlier ones, whose counts it goes on from.

    keep_ids: an id that is registered may be a name and nothing else. One that only came in a report may always be:
    whoever reports could hinder every erasure.

    Raises:
        ToolFailed: a name is none, or an id is that name and nothing else.

    """
    known = {*names, *(before.get("names", ()) if before else ())}
    anywhere = mentions_of(id_, known)
    ids = {*stores.ids_with(anywhere)}
    alike = sorted(one for one, is_registered in ids if is_registered and one in anywhere.forms)
    if alike and not keep_ids:
        raise ToolFailed(f"an id is called {alike[0]}: {KEEP_IDS}")
    kept = sorted({one for one, _ in ids})
    mentions = mentions_of(id_, known, kept)
    found = look(stores, mentions)
    job: JobRow = {"person": id_, "begunAt": now_ms, "names": sorted(known), "kept": kept, "before": found}
    if before and "finishedAt" not in before:
        job |= {"begunAt": before["begunAt"], "before": _together(before["before"], found)}
    return job


def mentions_of(id_: str, names: Iterable[str], kept: Iterable[str] = ()) -> Mentions:
    """Return the mentions of a person.

    Raises:
        ToolFailed: a name is none.

    """
    try:
        return Mentions(names, id_, kept=kept)
    except ValueError as error:
        raise ToolFailed(str(error)) from error


def sweep(stores: Stores, table: JobTable, job: JobRow, *, clock: Callable[[], int]) -> JobRow:
    """Erase the mentions in all stores, the first time."""
    mentions = _mentions_for(job)
    for _ in stores.sweep(mentions, dry_run=False):
        pass
    return table.write({**job, "sweptAt": clock()})


def finish(stores: Stores, table: JobTable, job: JobRow, *, clock: Callable[[], int]) -> JobRow:
    """Erase what came to the stores since, write the proof, and forget the names.

    Raises:
        ToolFailed: it is too early, or something is left; the names are kept.

    """
    if "finishedAt" not in job:
        job = table.write(_swept_again(stores, table, job, now_ms=clock()))
    proof = {
        **{name: value for name, value in job.items() if name not in {"names", "kept"}},
        "begunAt": times.to_utc(job["begunAt"]),
        "sweptAt": times.to_utc(job["sweptAt"]),
        "finishedAt": times.to_utc(job["finishedAt"]),
    }
    bucket = SweptBucket(stores.clients.s3, stores.buckets[LAKE])
    bucket.put(proof_key(job), strict_json.dumps(proof).encode())
    forgotten = {name: value for name, value in job.items() if name != "names"}
    return table.write(members_of(JobRow, {**forgotten, "kept": []}))


def proof_key(job: JobRow) -> str:
    """Return the key of the proof of a job."""
    return f"{PROOFS}/{job['person']}/{job['begunAt']}.json"


def _swept_again(stores: Stores, table: JobTable, job: JobRow, *, now_ms: int) -> JobRow:
    swept_ms = job.get("sweptAt")
    if swept_ms is None or now_ms < swept_ms + DAY_MS:
        when = "after the first pass" if swept_ms is None else f"from {times.to_utc(swept_ms + DAY_MS)} on"
        raise ToolFailed(
            f"the second pass is made {when}: streams, queues and batches keep what was on its way so long"
        )
    known = {one for one, _ in stores.ids_with(mentions_of(job["person"], job.get("names", ())))}
    job = {**job, "kept": sorted({*job["kept"], *known})}  # whatever came since may have brought others
    mentions = _mentions_for(job)
    if "again" not in job:
        job = table.write({**job, "again": counts_of(stores.sweep(mentions, dry_run=True))})
    for _ in stores.sweep(mentions, dry_run=False):
        pass
    after = look(stores, mentions)
    if left := {name: one["found"] for name, one in after.items() if one["found"]}:
        where = ", ".join(f"{name}: {count}" for name, count in left.items())
        raise ToolFailed(f"not finished, mentions are left ({where}); redrive or remove dead letters, and run it again")
    return {**job, "after": after, "finishedAt": now_ms}


def _mentions_for(job: JobRow) -> Mentions:
    """Return the mentions that a job erases."""
    return mentions_of(job["person"], job.get("names", ()), job["kept"])


def counts_of(counted: Iterable[tuple[str, SweepCounts]]) -> Counts:
    """Return counts as the row has them."""
    return {name: {"seen": one.seen, "found": one.found, "kept": one.kept} for name, one in counted}


def _together(one: Counts, other: Counts) -> Counts:
    """Return the sums of what two passes found; seen: by the later one."""
    return {
        name: {**counts, "found": counts["found"] + one.get(name, {}).get("found", 0)} for name, counts in other.items()
    }
