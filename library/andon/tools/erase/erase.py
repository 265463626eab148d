"""`make erase`: erase a person's name, and every mention of it in free text, and prove it; a day later: AGAIN=1.

Only ids stand in the fields of people; so the name is in one table, and where somebody wrote it into a text. Nothing is
published but that the person was erased. Broken off, it goes on where it was; run twice, it changes nothing.
"""

import argparse
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from typing import Any, Final, NamedTuple, NotRequired, TypedDict

import boto3
import botocore.session
from botocore.credentials import AssumeRoleCredentialFetcher, DeferredRefreshableCredentials

from andon.cdk.names import ERASER_ROLE, pascal
from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.dynamodb.schema import Keys
from andon.packages.discovery import packages
from andon.project import People, project
from andon.runtime import clock, strict_json, times
from andon.runtime.clock import DAY_MS
from andon.runtime.json_types import members_of
from andon.tools.called import as_called
from andon.tools.erase.mentions import Mentions
from andon.tools.erase.rows import SweepCounts
from andon.tools.erase.stores import LAKE, Clients, Stores, SweptBucket
from andon.tools.stack.api import ApiClient, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed, deployed

# The job of erasing a person, as its row beside the names says it: begun, swept, finished. Steps repeat harmlessly.
#
# | step | what the row then says |
# |---|---|
# | look: count the mentions of all names | `names`, `kept`, `before`, `begunAt` |
# | erase the name, the user, then the mentions | `sweptAt` |
# | a day later: erase what was on its way | `again`, `after`, `finishedAt` |
# | write the proof | no `names` any more |

_PROOFS: Final = "erasures"
"""The folder of the lake with the proofs."""

KEEP_IDS: Final = "it is left where it is an id, and replaced in texts, with KEEP_IDS=1"

Counts = dict[str, dict[str, int]]
"""By store: `seen`, `found`, `kept`, see `SweepCounts`."""


class _JobRow(TypedDict):
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

    def find(self, id_: str) -> _JobRow | None:
        """Return the job of a person, None if there is none."""
        found = self._dynamodb.get_item(TableName=self._name, Key=to_typed(self._key(id_)), ConsistentRead=True)
        row = to_plain(found["Item"]) if "Item" in found else None
        return members_of(_JobRow, row) if row else None

    def write(self, job: _JobRow) -> _JobRow:
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
    stores: Stores, id_: str, names: Iterable[str], *, before: _JobRow | None, keep_ids: bool, now_ms: int
) -> _JobRow:
    """Return a job for some names; before: that of earlier ones, whose counts it goes on from.

    keep_ids: an id that is registered may be a name and nothing else. One that only came in a report may always be:
    whoever reports could hinder every erasure.

    Raises:
        ToolFailed: a name is none, or an id is that name and nothing else.

    """
    known = {*names, *(before.get("names", ()) if before else ())}
    anywhere = _mentions_of(id_, known)
    ids = {*stores.ids_with(anywhere)}
    alike = sorted(one for one, is_registered in ids if is_registered and one in anywhere.forms)
    if alike and not keep_ids:
        raise ToolFailed(f"an id is called {alike[0]}: {KEEP_IDS}")
    kept = sorted({one for one, _ in ids})
    mentions = _mentions_of(id_, known, kept)
    found = look(stores, mentions)
    job: _JobRow = {"person": id_, "begunAt": now_ms, "names": sorted(known), "kept": kept, "before": found}
    if before and "finishedAt" not in before:
        job |= {"begunAt": before["begunAt"], "before": _together(before["before"], found)}
    return job


def _mentions_of(id_: str, names: Iterable[str], kept: Iterable[str] = ()) -> Mentions:
    """Return the mentions of a person.

    Raises:
        ToolFailed: a name is none.

    """
    try:
        return Mentions(names, id_, kept=kept)
    except ValueError as error:
        raise ToolFailed(str(error)) from error


def sweep(stores: Stores, table: JobTable, job: _JobRow, *, clock: Callable[[], int]) -> _JobRow:
    """Erase the mentions in all stores, the first time."""
    mentions = _mentions_for(job)
    for _ in stores.sweep(mentions, dry_run=False):
        pass
    return table.write({**job, "sweptAt": clock()})


def finish(stores: Stores, table: JobTable, job: _JobRow, *, clock: Callable[[], int]) -> _JobRow:
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
    bucket.put(_proof_key(job), strict_json.dumps(proof).encode())
    forgotten = {name: value for name, value in job.items() if name != "names"}
    return table.write(members_of(_JobRow, {**forgotten, "kept": []}))


def _proof_key(job: _JobRow) -> str:
    """Return the key of the proof of a job."""
    return f"{_PROOFS}/{job['person']}/{job['begunAt']}.json"


def _swept_again(stores: Stores, table: JobTable, job: _JobRow, *, now_ms: int) -> _JobRow:
    swept_ms = job.get("sweptAt")
    if swept_ms is None or now_ms < swept_ms + DAY_MS:
        when = "after the first pass" if swept_ms is None else f"from {times.to_utc(swept_ms + DAY_MS)} on"
        raise ToolFailed(
            f"the second pass is made {when}: streams, queues and batches keep what was on its way so long"
        )
    known = {one for one, _ in stores.ids_with(_mentions_of(job["person"], job.get("names", ())))}
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


def _mentions_for(job: _JobRow) -> Mentions:
    """Return the mentions that a job erases."""
    return _mentions_of(job["person"], job.get("names", ()), job["kept"])


def counts_of(counted: Iterable[tuple[str, SweepCounts]]) -> Counts:
    """Return counts as the row has them."""
    return {name: {"seen": one.seen, "found": one.found, "kept": one.kept} for name, one in counted}


def _together(one: Counts, other: Counts) -> Counts:
    """Return the sums of what two passes found; seen: by the later one."""
    return {
        name: {**counts, "found": counts["found"] + one.get(name, {}).get("found", 0)} for name, counts in other.items()
    }


# The user of a person, signed out everywhere and deleted.


def _delete_user(cognito: Any, pool: str, id_: str) -> bool:  # noqa: ANN401  boto3's
    """Delete the user whose subject is an id; return False if there is none. A badge is no subject."""
    if not _is_subject(id_):
        return False
    users = cognito.list_users(UserPoolId=pool, Filter=f'sub = "{id_}"')["Users"]
    for user in users:
        cognito.admin_user_global_sign_out(UserPoolId=pool, Username=user["Username"])
        cognito.admin_delete_user(UserPoolId=pool, Username=user["Username"])
    return bool(users)


def _is_subject(id_: str) -> bool:
    try:
        return str(uuid.UUID(id_)) == id_
    except ValueError:
        return False


SESSION: Final = "erase"


class Erasing(NamedTuple):
    """All that it takes to erase people of a stack."""

    api: ApiClient
    people: People
    pool: str
    stores: Stores
    table: JobTable

    @classmethod
    def of(cls, stack: Deployed) -> "Erasing":
        """Return the eraser of people of a deployed stack.

        Raises:
            ToolFailed: the project does not say where names are.

        """
        people = project().people
        if people is None:
            raise ToolFailed("the project has no people: its functions/project.py does not say where names are")
        clients = _clients(stack)
        schema = next(schemas for schemas in (one.tables for one in packages()) if people.table in schemas)
        table = JobTable(clients.dynamodb, stack.outputs[pascal(people.table)], schema[people.table].keys)
        stores = Stores.of(stack.outputs, people, clients)
        return cls(stack.api, people, stack.outputs["UserPoolId"], stores, table)


class ErasureOrder(NamedTuple):
    """An order: the person, further names, and what to do."""

    id: str
    also: tuple[str, ...] = ()
    again: bool = False
    dry_run: bool = False
    keep_ids: bool = False


def run(erasing: Erasing, asked: ErasureOrder) -> Iterator[str]:
    """Erase a person; yield lines for the terminal, none of which has the name.

    Raises:
        ToolFailed: it cannot be done, or not yet.

    """
    found = erasing.table.find(asked.id)
    if asked.again and (found is None or asked.also):
        raise ToolFailed("a second pass has the names of the first one, which was not made" if found is None else ALSO)
    if asked.again and found:
        yield from _proved(finish(erasing.stores, erasing.table, found, clock=clock.now_ms))
        return
    job = _begun(erasing, asked, found)
    yield from _said(job["before"], "mentions")
    if asked.dry_run:
        yield "Nothing was changed."
        return
    if job is not found:
        erasing.table.write(job)
    yield from _erased(erasing, job)


ALSO: Final = "more names need a first pass: without AGAIN"


def _begun(erasing: Erasing, asked: ErasureOrder, found: _JobRow | None) -> _JobRow:
    """Return the job that goes on, or a new one: for the person's name and those that were asked for besides."""
    if found and "names" in found and {*asked.also} <= {*found["names"]}:
        return found
    names = [*asked.also, *_name(erasing, asked.id)]
    if not names and not (found and "names" in found):
        again = as_called("erase", ID=asked.id, ALSO="…")
        raise ToolFailed(f"no name of {asked.id} is known, or not any more; say which to look for: {again}")
    return begin(erasing.stores, asked.id, names, before=found, keep_ids=asked.keep_ids, now_ms=clock.now_ms())


def _name(erasing: Erasing, id_: str) -> list[str]:
    """Return the person's name, if it is known."""
    answer = erasing.api.get(f"{erasing.people.path}{path_of(id_)}")
    if answer.status == HTTPStatus.NOT_FOUND:
        return []
    if answer.status != HTTPStatus.OK:
        raise ToolFailed(f"who {id_} is could not be read: {answer.status} {answer.body.decode(errors='replace')}")
    return [answer.json[erasing.people.name]] if erasing.people.name in answer.json else []


def _erased(erasing: Erasing, job: _JobRow) -> Iterator[str]:
    """Erase the name, the user and the mentions."""
    answer = erasing.api.request("DELETE", f"{erasing.people.path}{path_of(job['person'])}")
    if answer.status != HTTPStatus.NO_CONTENT:
        raise ToolFailed(f"it was refused: {answer.status} {answer.body.decode(errors='replace')}")
    yield "The name is erased."
    if _delete_user(erasing.stores.clients.cognito, erasing.pool, job["person"]):
        yield "The user is signed out and deleted."
    if "sweptAt" not in job:
        job = sweep(erasing.stores, erasing.table, job, clock=clock.now_ms)
    yield f"Every store is swept. Once more in 24 hours: {as_called('erase', ID=job['person'], AGAIN=1)}"


def _proved(job: _JobRow) -> Iterator[str]:
    yield from _said(job["again"], "mentions came since")
    yield f"Erased: before {_sum(job['before'])} mentions, now {_sum(job['after'])}. The proof: {_proof_key(job)}"


def _said(counts: Counts, what: str) -> Iterator[str]:
    for store, one in counts.items():
        if one["found"] or one["kept"]:
            kept = f", {one['kept']:,} in ids and names of members, which stay" if one["kept"] else ""
            yield f"{store}: {one['found']:,} {what}{kept}"
    yield f"{_sum(counts):,} {what} in {len(counts)} stores."


def _sum(counts: Counts) -> int:
    return sum(one["found"] for one in counts.values())


def _clients(stack: Deployed) -> Clients:
    """Return clients: on AWS those of the role that may erase, which the person assumes."""
    client = _assumed(stack.outputs[ERASER_ROLE]).client if stack.name else stack.client
    return Clients(client("dynamodb"), client("s3"), client("sqs"), client("cognito-idp"))


def _assumed(role: str) -> Any:  # noqa: ANN401  boto3's
    """Return a session of a role, whose credentials are renewed: a sweep can take longer than they last."""
    own = boto3.Session()
    fetcher = AssumeRoleCredentialFetcher(
        client_creator=own.client,
        source_credentials=own.get_credentials(),
        role_arn=role,
        extra_args={"RoleSessionName": SESSION},
    )
    session = botocore.session.get_session()
    session._credentials = DeferredRefreshableCredentials(fetcher.fetch_credentials, "assume-role")  # noqa: SLF001
    return boto3.Session(botocore_session=session, region_name=own.region_name)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("erase"), description=__doc__)
    parser.add_argument("id", help="the person's id")
    parser.add_argument("--also", default="", help="further names and forms, with commas")
    parser.add_argument("--again", action="store_true", help="the second pass, after 24 hours, and the proof")
    parser.add_argument("--dry-run", action="store_true", help="count the mentions, and change nothing")
    parser.add_argument("--keep-ids", action="store_true", help="go on where an id is called so; it stays, as an id")
    parser.add_argument("--stack", help="the name of a stack on AWS; none: the one on this machine")
    given = parser.parse_args()
    also = tuple(name.strip() for name in given.also.split(",") if name.strip())
    asked = ErasureOrder(given.id, also, given.again, given.dry_run, given.keep_ids)
    for line in run(Erasing.of(deployed(given.stack)), asked):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
