"""Rows of a table without mentions of a person.

A row is written on condition that it still says what was read. The trigger of an owned table must publish nothing of
that: a row of which it publishes facts is latched. A view has no such rows, and its pushes show what is left.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, NamedTuple

import orjson
from botocore.exceptions import ClientError

from andon.dynamodb.attribute_values import Item, Typed, to_plain
from andon.dynamodb.schema import Keys
from andon.events import drift, fault
from andon.events.latch import LATCHED
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.tools.erase.mentions import Mentions
from andon.tools.listings import rows_of
from andon.tools.stack.errors import ToolFailed
from andon.versions.optimistic_lock import VersionedRow, digest_of

# Stored JSON without mentions of a person, and without what could be computed from one. Pure.
#
# Unsalted digests of a text give it away to who guesses it: the `fingerprint` and `digest` of a row, and the ids of
# faults and drifts. Of what has a mention they are computed anew from what is left, or become `ERASED`.

ERASED: Final = "erased"
"""In place of a digest that cannot be computed anew; no digest is equal to it."""

FINGERPRINT, DIGEST = "fingerprint", "digest"
NOT_CONTENT: Final = frozenset(VersionedRow.__annotations__)
_MOST_ATTRIBUTES: Final = 12
"""Attributes of a row among which its content is looked for: it is one of 4,096 choices, at the most."""


_DIGEST: Final = re.compile("[0-9a-f]{64}")


class Document(NamedTuple):
    """A document, how many mentions in it were replaced and kept, and what its own digests became, old -> new."""

    text: str
    found: int
    kept: int
    digests: Mapping[str, str] = {}


def erased(text: str, mentions: Mentions) -> Document:
    """Return a JSON document, or any other text, without mentions and digests of them; else it is as it was."""
    replaced = mentions.replaced(text, document=True)
    if not replaced.found:
        return Document(text, 0, replaced.kept)
    digests = dict(_digests_in(_parsed(text), mentions))
    return Document(_with(digests, replaced.text), replaced.found, replaced.kept, digests)


def digests_of(row: Item, left: Item) -> Iterator[tuple[str, str]]:
    """Yield the digests of a row, and what they become for what is left of it."""
    if _is_digest(row.get(FINGERPRINT)):
        yield row[FINGERPRINT], ERASED
    if _is_digest(row.get(DIGEST)):
        content = _content_of(row)
        yield row[DIGEST], ERASED if content is None else digest_of({name: left[name] for name in content})


def _content_of(row: Item) -> Iterable[str] | None:
    """Return the attributes that a row's digest is of; None: of others than it has.

    What else stands on a row only its service knows, but the digest tells whether a choice is the right one.
    """
    names = [name for name in sorted(row) if name not in NOT_CONTENT]
    if len(names) > _MOST_ATTRIBUTES:
        return None
    choices = (some for count in range(len(names), 0, -1) for some in combinations(names, count))
    return next((some for some in choices if digest_of({name: row[name] for name in some}) == row[DIGEST]), None)


def without(value: Any, mentions: Mentions, member: str = "") -> Any:  # noqa: ANN401  any JSON
    """Return plain values without mentions. member: the name of the one that has them."""
    match value:
        case str():
            return mentions.replaced(value, member=member).text
        case dict():
            return {name: without(inner, mentions, name) for name, inner in value.items()}
        case list():
            return [without(inner, mentions, member) for inner in value]
    return value


def _digests_in(value: Any, mentions: Mentions) -> Iterator[tuple[str, str]]:  # noqa: ANN401  any JSON
    """Yield what digests in a document become: those of rows, plain or typed, of events, and in JSON within texts."""
    match value:
        case str():
            yield from _digests_in(_parsed(value), mentions) if value[:1] in {"{", "["} else ()
        case list():
            for member in value:
                yield from _digests_in(member, mentions)
        case dict():
            yield from _digests_of(value, mentions)
            for member in value.values():
                yield from _digests_in(member, mentions)


def _digests_of(one: Item, mentions: Mentions) -> Iterator[tuple[str, str]]:
    row = _row_in(one)
    left = without(row, mentions)
    if left == row:
        return
    yield from digests_of(row, left)
    if _is_digest(row.get("id")) and (id_ := _id_of(left)):
        yield row["id"], id_


def _id_of(left: Item) -> str | None:
    """Return the id that an event of a fault or a drift gets, or what is kept of it; None: it is neither."""
    match left:
        case {"fault": {"consumer": str(consumer), "message": str(message)}, **_rest}:
            return fault.id_of(consumer, message)
        case {"consumer": str(consumer), "message": str(message), "error": _}:
            return fault.id_of(consumer, message)
        case {"drift": dict(found), "timestamp": int(timestamp_ms)}:
            return drift.id_of(found, timestamp_ms)
        case {"view": str(), "kinds": list(), "repair": str(), "timestamp": str(timestamp)}:
            found = {name: value for name, value in left.items() if name not in {"id", "timestamp"}}
            return drift.id_of(found, times.to_ms(timestamp))
    return None


def _row_in(one: Item) -> Item:
    """Return an object as plain values: a row in a stream has DynamoDB's types."""
    if not isinstance(one.get(FINGERPRINT, one.get(DIGEST)), dict):
        return one
    try:
        return to_plain(one)
    except (AttributeError, KeyError, TypeError, ValueError, Poison):
        return one


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and bool(_DIGEST.fullmatch(value))


def _parsed(text: str) -> Any:  # noqa: ANN401  any JSON
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None


def _with(digests: Mapping[str, str], text: str) -> str:
    """Return a text with other digests: hexadecimal digits, which no encoding changes."""
    for old, new in digests.items():
        text = text.replace(old, new)
    return text


# Counts of a pass over a store.


@dataclass(slots=True)
class SweepCounts:
    """seen: rows, objects or messages. found: mentions that are, or would be, replaced. kept: those that stay."""

    seen: int = 0
    found: int = 0
    kept: int = 0

    def add(self, found: int, kept: int) -> None:
        """Count a row, an object or a message."""
        self.seen += 1
        self.found += found
        self.kept += kept


ATTEMPTS: Final = 10
KEY: Final = "key"
CHANGED: Final = "ConditionalCheckFailedException"


class SweptTable(NamedTuple):
    """A table, of which rows are told apart by their discriminators.

    published: those of whose changes facts are published. registered: those by which an id is registered, for good.
    indexed: the attributes that are keys of its indexes. is_view: events make it.
    """

    name: str
    keys: Keys
    published: frozenset[str] = frozenset()
    registered: frozenset[str] = frozenset()
    indexed: frozenset[str] = frozenset()
    is_view: bool = False


class ErasedRow(NamedTuple):
    """A row as it is left: what changes of it, as DynamoDB types it, and how many mentions went and stay."""

    assign: Typed
    found: int
    kept: int


def sweep(dynamodb: Any, table: SweptTable, mentions: Mentions, *, dry_run: bool) -> SweepCounts:  # noqa: ANN401  boto3's
    """Erase the mentions in a table; count them as they were found."""
    counted = SweepCounts()
    for row in rows_of(dynamodb, table.name):
        erased = _erased_row(row, table, mentions)
        counted.add(erased.found, erased.kept)
        if erased.found and not dry_run:
            _write(dynamodb, table, row, mentions)
    return counted


def _erased_row(row: Typed, table: SweptTable, mentions: Mentions) -> ErasedRow:
    """Return a row without mentions, latched where that matters; its key stays. Pure."""
    counted, left = SweepCounts(), dict[str, Any]()
    for name, value in row.items():
        if name not in table.keys.names:
            left[name] = _without(value, mentions, counted, KEY if name in table.indexed else name)
    assign: Typed = {name: value for name, value in left.items() if value != row[name]}
    if assign:
        assign |= _digests(row, {**row, **left})
        if row.get("discriminator", {}).get("S") in table.published:
            assign[LATCHED] = {"BOOL": True}
    return ErasedRow(assign, counted.found, counted.kept)


def _digests(row: Typed, left: Typed) -> Typed:
    """Return the digests of a row as they are of what is left."""
    new = dict(digests_of(to_plain(row), to_plain(left)))
    names = (FINGERPRINT, DIGEST)
    return {name: {"S": new[row[name]["S"]]} for name in names if row.get(name, {}).get("S") in new}


def _without(value: dict[str, Any], mentions: Mentions, counted: SweepCounts, member: str) -> dict[str, Any]:
    """Return the typed value of a member without mentions; names of members stay, and are counted."""
    [(kind, said)] = value.items()
    match kind:
        case "S":
            replaced = mentions.replaced(said, member=member)
            counted.found, counted.kept = counted.found + replaced.found, counted.kept + replaced.kept
            return {kind: replaced.text}
        case "M":
            counted.kept += sum(mentions.replaced(name).found for name in said)
            return {kind: {name: _without(inner, mentions, counted, name) for name, inner in said.items()}}
        case "L":
            return {kind: [_without(inner, mentions, counted, member) for inner in said]}
        case "SS":
            texts = {_without({"S": text}, mentions, counted, member)["S"] for text in said}
            return {kind: sorted(texts)} if texts != {*said} else value
    return value


def _write(dynamodb: Any, table: SweptTable, row: Typed, mentions: Mentions) -> None:  # noqa: ANN401  boto3's
    """Replace what a row says; if it has changed since it was read, what it says now.

    Raises:
        ToolFailed: others wrote it at each of `ATTEMPTS` attempts.

    """
    key = {name: row[name] for name in table.keys.names}
    for _ in range(ATTEMPTS):
        assign = _erased_row(row, table, mentions).assign
        if not assign or _is_written(dynamodb, table, row, assign):
            return
        found = dynamodb.get_item(TableName=table.name, Key=key, ConsistentRead=True)
        if "Item" not in found:
            return
        row = found["Item"]
    raise ToolFailed(f"others wrote a row of {table.name} at the same time; run it again")


def _is_written(dynamodb: Any, table: SweptTable, row: Typed, assign: Mapping[str, Any]) -> bool:  # noqa: ANN401
    names = {f"#a{number}": name for number, name in enumerate(sorted(assign))}
    values = {place.replace("#", ":"): assign[name] for place, name in names.items()}
    read = {place: name for place, name in names.items() if name in row}
    values |= {place.replace("#a", ":r"): row[name] for place, name in read.items()}
    try:
        dynamodb.update_item(
            TableName=table.name,
            Key={name: row[name] for name in table.keys.names},
            UpdateExpression="SET " + ", ".join(f"{place} = {place.replace('#', ':')}" for place in names),
            ConditionExpression=" AND ".join(f"{place} = {place.replace('#a', ':r')}" for place in read),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != CHANGED:
            raise
        return False
    return True
