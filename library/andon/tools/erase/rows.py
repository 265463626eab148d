"""Rows of a table without mentions of a person.

A row is written on condition that it still says what was read. The trigger of an owned table must publish nothing of
that: a row of which it publishes facts is latched. A view has no such rows, and its pushes show what is left.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

from andon.dynamodb.attribute_values import Typed, to_plain
from andon.dynamodb.schema import Keys
from andon.events.latch import LATCHED
from andon.tools.erase import documents
from andon.tools.erase.counted import SweepCounts
from andon.tools.erase.mentions import Mentions
from andon.tools.listings import rows_of
from andon.tools.stack.errors import ToolFailed

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
        erased = erased_row(row, table, mentions)
        counted.add(erased.found, erased.kept)
        if erased.found and not dry_run:
            _write(dynamodb, table, row, mentions)
    return counted


def erased_row(row: Typed, table: SweptTable, mentions: Mentions) -> ErasedRow:
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
    new = dict(documents.digests_of(to_plain(row), to_plain(left)))
    names = (documents.FINGERPRINT, documents.DIGEST)
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
        assign = erased_row(row, table, mentions).assign
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
