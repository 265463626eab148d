"""The design by which rows are really written, told from the requests of a command, beside the one that is declared."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from andon.content.contents import PREFIX as CONTENT
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import Item, to_plain
from andon.dynamodb.keys import split
from andon.dynamodb.schema import Keys, TableSchema
from andon.events.fact import Change, Facts
from andon.events.hops import HOPS
from andon.events.latch import LATCHED
from andon.runtime import times
from andon.runtime.tried import Failed, tried
from andon.testing.memory.hook import Call
from andon.versions.aggregate import (
    COUNTER,
    CURRENT_ONLY,
    FROM_STREAM,
    NUMBERED,
    SEQUENTIAL,
    TIME_BASED,
    TWO_TABLES,
    WRITTEN_ONCE,
    Aggregate,
    Aggregates,
    Design,
    Identity,
    Speed,
)
from andon.versions.claims import CLAIM
from andon.versions.numbered_versions import LATEST, VERSION
from andon.versions.optimistic_lock import OWNED_SINCE, VersionedRow
from andon.versions.sequential_history import FENCE

DISCRIMINATOR: Final = "discriminator"
FINGERPRINT: Final = "fingerprint"

_OF_TOMBSTONES: Final = (
    VersionedRow.__annotations__.keys() | {DISCRIMINATOR, LATEST, FENCE, OWNED_SINCE, ttl.ATTRIBUTE, ttl.DATE}
) | {LATCHED, HOPS}
"""The attributes of any tombstone."""

ASSIGNED: Final = re.compile(r"(#\w+) = (:\w+)")
COUNTED: Final = re.compile(r"ADD (#\w+)")
PLACEHOLDER: Final = re.compile(r"#\w+")
DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class RecordedWrite(NamedTuple):
    """A put or an update. key: values of the primary key. said: the attributes that it sets, key included.

    condition: with the names of attributes in place of placeholders. counts: the attribute that it adds one to.
    """

    table: str
    key: tuple[str | int, ...]
    said: Item
    condition: str
    counts: str | None = None

    @property
    def is_locked(self) -> bool:
        """True if it is made only upon a version, or upon none."""
        return VERSION in self.condition or self.is_first

    @property
    def is_first(self) -> bool:
        """True if it is made only where nothing is."""
        return any(f"attribute_not_exists({name})" in self.condition for name in self.said)


Request = list[RecordedWrite]
"""The writes of one request: one, or those of a transaction."""


class Made(NamedTuple):
    """A row of an aggregate as it was written.

    kind: its discriminator, if it has one. design: None if it is none that is known. alone: in a request of its own.
    """

    kind: str | None
    design: Design | None
    write: RecordedWrite
    alone: bool


def mistaken(aggregates: Aggregates, made: Made) -> Iterator[str]:
    """Yield what a row that was written shows otherwise than it is declared, or not declared."""
    if made.kind is None or made.kind not in aggregates:
        yield f"rows of {made.kind!r} are written, but not declared"
        return
    kind, declared, written = made.kind, aggregates[made.kind].design, made.design
    if written is None:
        yield f"{kind!r} is declared as {declared.title!r}, but written without the condition that each design has"
    elif written is not (WRITTEN_ONCE if declared is TIME_BASED else declared):
        yield f"{kind!r} is declared as {declared.title!r}, but written as {written.title!r}"
    else:
        yield from _of_row(kind, aggregates[kind], made.write)
    if aggregates[kind].speed is Speed.FAST and not made.alone:
        yield f"{kind!r} is declared as fast data, but written in a transaction with other rows"


def unfixed(aggregates: Aggregates, made: Iterable[Made]) -> Iterator[str]:
    """Yield the attributes that are declared as fixed, and that a later version says otherwise."""
    first: dict[object, object] = {}
    for kind, write in ((one.kind, one.write) for one in made):
        fixed = aggregates[kind].fixed if kind is not None and kind in aggregates else frozenset[str]()
        for name in fixed & write.said.keys():
            if first.setdefault((write.table, write.key, name), write.said[name]) != write.said[name]:
                yield f"{kind!r} is declared with fixed {name}, but a version says another one than those before it"


def mistaken_row(aggregates: Aggregates, name: str, row: Item) -> Iterator[str]:
    """Yield what the living row of a sample shows otherwise than it is declared. name: of the sample."""
    kind = row[DISCRIMINATOR]
    if kind not in aggregates:
        return  # it is no fact, and what commands write is looked at where they write it
    design = aggregates[kind].design
    yield from _expiry(f"{kind} in {name}", aggregates[kind], row)
    if (VERSION in row) == (design in {TIME_BASED, WRITTEN_ONCE}):
        has = "a" if VERSION in row else "no"
        yield f"{kind!r} is declared as {design.title!r}, but its row in {name} has {has} version"


def published_fence(aggregates: Aggregates, facts: Facts, row: Item) -> Iterator[str]:
    """Yield the fact of what is no change: the fence of a sequential row, which somebody took."""
    kind = row[DISCRIMINATOR]
    if kind in aggregates and aggregates[kind].design is SEQUENTIAL:
        fact = facts.fact_of(Change("MODIFY", row, {**row, FENCE: row.get(FENCE, 0) + 1}))
        if fact is not None:
            yield f"{kind!r}: {fact.type} is published of each fence that is taken. Say of_versions(…) in FACTS"


def overfull(aggregates: Aggregates, row: Item, keys: Keys) -> Iterator[str]:
    """Yield what a tombstone says of what was deleted, beside its key, its version and what is declared as kept."""
    kind = str(row.get(DISCRIMINATOR, ""))
    kept = aggregates[kind].kept if kind in aggregates else frozenset[str]()
    in_key = {part for name in keys.names for part in split(str(row[name]))}
    said = row.keys() - kept - _OF_TOMBSTONES - {*keys.names}
    if left := sorted(name for name in said if str(row[name]) not in in_key):
        yield (
            f"the tombstone of {kind or row!r} says {', '.join(left)}: leave that out where it is deleted; or name it "
            f"in kept= of its Resource, or of its Draft and its Aggregate"
        )


def made_by(calls: Iterable[Call], schemas: Mapping[str, TableSchema]) -> Iterator[Made]:
    """Yield the rows of aggregates that the calls of one invocation write, deletes and checks aside.

    schemas: of the tables, by the names in the calls.
    """
    requests = [[*_writes(call, schemas)] for call in calls if call.service == "dynamodb"]
    single = [write for request in requests for write in request]
    fenced = {(write.table, write.key) for write in single if write.counts == FENCE}
    counts = any(write.counts == LATEST for write in single)
    for request in requests:
        for versions in _by_version(request):
            write = next((one for one in versions if LATEST in one.said), versions[0])
            if counts and VERSION in write.said and FINGERPRINT not in write.said:
                continue  # the revision of a number that was counted
            if _is_of_an_aggregate(write, schemas[write.table]):
                design = _design_of(write, versions, is_fenced=(write.table, write.key) in fenced)
                yield Made(write.said.get(DISCRIMINATOR), design, write, alone=len(request) == 1)


def _is_of_an_aggregate(write: RecordedWrite, schema: TableSchema) -> bool:
    """Return True if a write is of an aggregate's newest version, and of no row beside it."""
    kind = write.said.get(DISCRIMINATOR)
    if kind == CLAIM or write.counts == FENCE or str(write.key[0]).startswith(CONTENT):
        return False
    if kind is None and VERSION not in write.said and not schema.stream:
        return False  # it stands beside an aggregate, and nobody hears of it: a code, the proof of an address
    # Else it is the revision of a sequential save, whose current row is written behind it.
    return FENCE not in write.said or VERSION in write.condition


def _design_of(write: RecordedWrite, versions: Request, *, is_fenced: bool) -> Design | None:
    if write.counts == LATEST:
        return COUNTER
    if not write.is_locked:
        return None
    if len(versions) > 1:
        return NUMBERED if len({one.table for one in versions}) == 1 else TWO_TABLES
    if FENCE in write.said:
        return SEQUENTIAL if is_fenced else None
    if LATEST in write.said:
        return FROM_STREAM
    return CURRENT_ONLY if VERSION in write.said else WRITTEN_ONCE


def _by_version(request: Request) -> list[Request]:
    """Return the writes of a request, the rows of one version together."""
    together: dict[object, Request] = {}
    for number, write in enumerate(request):
        of_version = FINGERPRINT in write.said and write.counts is None
        version = (write.said[FINGERPRINT], write.said[VERSION]) if of_version else number
        together.setdefault(version, []).append(write)
    return [*together.values()]


def _of_row(kind: str, aggregate: Aggregate, write: RecordedWrite) -> Iterator[str]:
    """Yield what a row shows otherwise than it is declared: its id, and whether it expires."""
    if not write.said.get("deleted"):
        yield from _expiry(kind, aggregate, write.said)
    parts = [part for value in write.key for part in split(str(value))]
    if aggregate.identity is Identity.CONTENT and not any(map(DIGEST.fullmatch, parts)):
        yield f"{kind!r} is declared with an id that is a digest of its content, but its key has no SHA-256"
    if aggregate.identity is Identity.TIME and not any(map(_is_time, parts)):
        yield f"{kind!r} is declared with an id that is its time, but its key has no time"


def _expiry(kind: str, aggregate: Aggregate, row: Mapping[str, Any]) -> Iterator[str]:
    expires = aggregate.expires in row if isinstance(aggregate.expires, str) else aggregate.expires
    if expires != (ttl.ATTRIBUTE in row):
        has = "no" if expires else "a"
        yield f"{kind!r} is declared with expires={aggregate.expires}, but its row has {has} ttl"


def _is_time(part: str) -> bool:
    return not isinstance(tried(lambda: times.to_ms(part)), Failed)


def _writes(call: Call, schemas: Mapping[str, TableSchema]) -> Iterator[RecordedWrite]:
    match call.operation, call.request:
        case "PutItem" | "UpdateItem", request:
            yield _write(request, schemas)
        case "TransactWriteItems", {"TransactItems": parts}:
            for part in parts:
                yield from (_write(request, schemas) for kind, request in part.items() if kind in {"Put", "Update"})


def _write(request: Mapping[str, Any], schemas: Mapping[str, TableSchema]) -> RecordedWrite:
    names = request.get("ExpressionAttributeNames", {})
    values = to_plain(request.get("ExpressionAttributeValues", {}))
    update = request.get("UpdateExpression", "")
    counted = COUNTED.search(update)
    said = to_plain(request.get("Item") or request["Key"])
    said |= {names[name]: values[value] for name, value in ASSIGNED.findall(update)}
    table = request["TableName"]
    return RecordedWrite(
        table,
        tuple(said[name] for name in schemas[table].keys.names),
        said,
        PLACEHOLDER.sub(lambda found: str(names[found[0]]), request.get("ConditionExpression", "")),
        names[counted[1]] if counted else None,
    )
