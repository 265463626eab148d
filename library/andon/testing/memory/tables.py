"""A table of DynamoDB: its rows, indexes, limits and stream."""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from hashlib import blake2s
from itertools import accumulate
from math import ceil
from typing import Any, Final, Literal, NamedTuple, Protocol

import orjson

from andon.dynamodb.attribute_values import Typed
from andon.dynamodb.evaluate import Request, comparable, condition
from andon.dynamodb.schema import Keys, TableSchema
from andon.dynamodb.ttl import is_expired
from andon.events.change_data_capture import TTL_SERVICE
from andon.runtime import clock
from andon.testing.environment import ACCOUNT, REGION
from andon.testing.memory.hook import Answer, AwsRefused, invalid

# DynamoDB's expressions on rows in this process: those that our code writes; `NotImplementedError` for all others.

_EXPRESSIONS: Final = ("KeyConditionExpression", "ConditionExpression", "FilterExpression", "UpdateExpression")
_GIVEN: Final = {"#": "ExpressionAttributeNames", ":": "ExpressionAttributeValues"}

_UPDATE = re.compile(r"(SET #\w+ = :\w+(, #\w+ = :\w+)*)?( ?REMOVE #\w+(, #\w+)*)?( ?ADD #\w+ :\w+)?")
_SORTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "#p = :p": lambda *_: True,
    "#p = :p AND begins_with(#s, :s)": lambda sort, first, _: bool(sort.startswith(first)),
    "#p = :p AND #s BETWEEN :s AND :t": lambda sort, first, last: bool(first <= sort <= last),
    "#p = :p AND #s < :s": lambda sort, bound, _: bool(sort < bound),
    "#p = :p AND #s > :s": lambda sort, bound, _: bool(sort > bound),
}
_RANGES: dict[str, Callable[[Sequence[str], str, str], slice]] = {
    "#p = :p": lambda *_: slice(None),
    "#p = :p AND begins_with(#s, :s)": lambda order, first, _: slice(
        bisect_left(order, first), bisect_right(order, first, key=lambda sort: sort[: len(first)])
    ),
    "#p = :p AND #s BETWEEN :s AND :t": lambda order, first, last: slice(
        bisect_left(order, first), bisect_right(order, last)
    ),
    "#p = :p AND #s < :s": lambda order, bound, _: slice(bisect_left(order, bound)),
    "#p = :p AND #s > :s": lambda order, bound, _: slice(bisect_right(order, bound), None),
}


def _require_exact(request: Request) -> None:
    """Check that a request gives the names and values that its expressions use, and no others, as DynamoDB does.

    Raises:
        AwsRefused: ValidationException.

    """
    expressions = "; ".join([request[name] for name in _EXPRESSIONS if name in request])
    for mark, member in _GIVEN.items():
        given, used = request.get(member, {}), _placeholders(mark, expressions)
        if member in request and not given:
            raise invalid(f"{member} must not be empty")
        if unused := given.keys() - used:
            raise invalid(f"Value provided in {member} unused in expressions: keys: {{{', '.join(sorted(unused))}}}")
        if missing := used - given.keys():
            raise invalid(f"Invalid expression: not defined in {member}: {', '.join(sorted(missing))}")


@cache
def _placeholders(mark: str, expressions: str) -> frozenset[str]:
    return frozenset(re.findall(rf"{mark}\w+", expressions))


def _key_condition(request: Request) -> Callable[[Typed], bool]:
    """Return the condition of a query on sort keys."""
    if request["KeyConditionExpression"] not in _SORTS:
        raise NotImplementedError(request["KeyConditionExpression"])
    holds, values = _SORTS[request["KeyConditionExpression"]], request["ExpressionAttributeValues"]
    first, last = (comparable(values[place]) if place in values else None for place in (":s", ":t"))
    return lambda sort: holds(comparable(sort), first, last)


def _key_range(order: Sequence[str], request: Request, bounds: Sequence[str]) -> slice:
    """Return the range of a query's sort keys among those of a partition; bounds: as they are in that order."""
    first, last = [*bounds, "", ""][:2]
    return _RANGES[request["KeyConditionExpression"]](order, first, last)


def _assigned_in(request: Request) -> set[str]:
    """Return the attributes that an update sets, removes or adds to."""
    names = request["ExpressionAttributeNames"]
    return {names[place] for place in re.findall(r"#\w+", request["UpdateExpression"])}


def updated(row: Typed, request: Request) -> Typed:
    """Return a row after `SET #a = :a, … REMOVE #b, … ADD #c :c`; each may be missing."""
    if not _UPDATE.fullmatch(request["UpdateExpression"]):
        raise NotImplementedError(request["UpdateExpression"])
    row = dict(row)
    rest, _, added = request["UpdateExpression"].partition("ADD ")
    sets, _, removes = rest.removeprefix("SET ").partition("REMOVE ")
    names, values = request["ExpressionAttributeNames"], request.get("ExpressionAttributeValues", {})
    for assignment in sets.strip().split(", ") if sets else ():
        place, value = assignment.split(" = ")
        row[names[place]] = values[value]
    for place in removes.strip().split(", ") if removes else ():
        row.pop(names[place], None)
    if added:
        place, value = added.split(" ")
        row[names[place]] = {"N": str(int(row.get(names[place], {"N": "0"})["N"]) + int(values[value]["N"]))}
    return row


# DynamoDB's units for reads and writes of rows.
#
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html

KB: Final = 1024
_READ_KB: Final = 4


def write_units(one: Typed | None, other: Typed | None) -> int:
    """Return the units of a write: one for each KB of the larger of the row before and after."""
    return max(1, ceil(max(size_of(one), size_of(other)) / KB))


def read_units(rows: list[Typed], *, consistent: bool) -> float:
    """Return the units of a read: half of one for each 4 KB, twice that if it is consistent."""
    units = max(1, ceil(sum(map(size_of, rows)) / (_READ_KB * KB)))
    return units if consistent else units / 2


def fit(rows: list[Typed], most_bytes: int) -> bool:
    """Return True if rows have at most so many bytes together."""
    # As JSON they have more, which is counted in a fraction of the time.
    return len(orjson.dumps(rows, default=repr)) <= most_bytes or sum(map(size_of, rows)) <= most_bytes


def size_of(row: Typed | None) -> int:
    """Return a row's size in bytes, about as DynamoDB counts: names and values."""
    size = 0
    for name, value in (row or {}).items():
        size += _bytes(name) + _value_size(value)
    return size


def _value_size(value: dict[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return _bytes(content)
    if kind == "N":
        return len(content) // 2 + 1
    size = 1
    if kind == "M":
        size = 3
        for name, one in content.items():
            size += _bytes(name) + 1 + _value_size(one)
    elif kind == "L":
        size = 3
        for one in content:
            size += 1 + _value_size(one)
    return size


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
_MAX_KEY_BYTES: Final = (2048, 1024)  # of a partition key, of a sort key
_MAX_ITEM_BYTES: Final = 400 * 1024
MAX_PAGE_BYTES: Final = 1024 * 1024

Partitions = Mapping[str, Mapping[str, Typed]]
"""Partition key -> sort key (empty text where the table has none; numbers with leading zeros) -> row."""
Record = dict[str, Any]
WriteKind = Literal["Put", "Update", "Delete", "ConditionCheck"]
Place = tuple[str, str]
Order = tuple[str | int, ...]


class Observer(Protocol):
    """Sees what requests do to a table, before they are answered."""

    def wrote(self, table: "MemoryTable", write: "AppliedWrite", *, times: int) -> None:
        """See a write, which may have changed nothing; times: how often its row is paid for."""

    def refused(self, table: "MemoryTable", key: Typed, old: Typed | None) -> None:
        """See a write whose condition did not hold."""

    def read(self, table: "MemoryTable", index: str, rows: list[Typed], *, consistent: bool) -> None:
        """See what one read found."""


class AppliedWrite(NamedTuple):
    """A write whose condition holds: the row before and after."""

    key: Typed
    old: Typed | None
    new: Typed | None


class MemoryTable:
    """The rows of one table; it is not for several threads at once."""

    def __init__(self, name: str, schema: TableSchema, observer: Observer | None = None) -> None:
        self.name, self.schema, self.keys = name, schema, schema.keys
        self.observer = observer
        self._changes = 0
        self.clear()

    def clear(self) -> None:
        """Remove all rows and records."""
        self._rows: dict[str, dict[str, Typed]] = {}
        self._order: dict[str, list[str]] = {}
        self._records: list[Record] = []

    @property
    def partitions(self) -> Partitions:
        """A copy of the rows, which can be kept and put back."""
        return {partition: dict(rows) for partition, rows in self._rows.items()}

    @partitions.setter
    def partitions(self, rows: Partitions) -> None:
        self._rows = {partition: dict(some) for partition, some in rows.items()}
        self._order = {partition: sorted(some) for partition, some in rows.items()}

    def rows(self, partition: str | None = None) -> Iterator[Typed]:
        """Yield the rows of a partition, or of all, in the order of their keys."""
        for key in sorted(self._rows) if partition is None else [partition]:
            yield from (self._rows[key][sort] for sort in self._order.get(key, ()))

    def new_records(self) -> list[Record]:
        """Take the stream's records since the last time, as Lambda gets them; a table without a stream has none."""
        records, self._records = self._records, []
        return records if self.schema.stream else []

    def reap(self, now_ms: int) -> None:
        """Remove the rows that have expired, as the TTL service does, which the stream says."""
        for row in list(self.rows()) if self.schema.expires else ():
            if "ttl" in row and is_expired(int(row["ttl"]["N"]), now_ms):
                self._replace(self._key_in(row), row, None)
                if self.schema.stream:
                    self._records[-1]["userIdentity"] = {"type": "Service", "principalId": TTL_SERVICE}

    def get(self, request: Request) -> Answer:
        """GetItem."""
        row = self.row(self._require_key(request["Key"]))
        self._see_read("", [row] if row else [], request)
        return {} if row is None else {"Item": row}

    def get_many(self, request: Request) -> list[Typed]:
        """Return the rows of BatchGetItem that are there; to look for one that is not costs as much."""
        places = [self._place(self._require_key(key)) for key in request["Keys"]]
        if len(set(places)) < len(places):
            raise invalid("Provided list of item keys contains duplicates")
        found = [self.row(key) for key in request["Keys"]]
        for row in found:
            self._see_read("", [row] if row else [], request)
        return [row for row in found if row is not None]

    def row(self, key: Typed) -> Typed | None:
        """Return a row, None if there is none."""
        partition, sort = self._place(key)
        return self._rows.get(partition, {}).get(sort)

    def write(self, kind: WriteKind, request: Request) -> Answer:
        """Make one write."""
        planned = self.plan(kind, request)
        if isinstance(planned, dict):
            members = {name: planned[name] for name in ("Item",) if name in planned}
            raise AwsRefused("ConditionalCheckFailedException", message="The conditional request failed", **members)
        self.apply(planned)
        if request.get("ReturnValues") not in {None, "ALL_NEW"}:
            raise NotImplementedError(request["ReturnValues"])
        return {"Attributes": planned.new} if "ReturnValues" in request else {}

    def plan(self, kind: WriteKind, request: Request) -> AppliedWrite | Answer:
        """Return a write, or the reason against it as a cancelled transaction gives it."""
        _require_exact(request)
        key = self._key_in(request["Item"]) if kind == "Put" else self._require_key(request["Key"])
        if kind == "Update" and not _assigned_in(request).isdisjoint(self.keys.names):
            raise invalid("One or more parameter values were invalid: an attribute is part of the key")
        old = self.row(key)
        if "ConditionExpression" in request and not condition(request["ConditionExpression"])(old or {}, request):
            if self.observer:
                self.observer.refused(self, key, old)
            is_shown = old and request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            return {"Code": "ConditionalCheckFailed", "Message": "no", **({"Item": old} if is_shown else {})}
        new = _after(kind, old, key, request)
        self._require_fit(new or {})
        return AppliedWrite(key, old, new)

    def apply(self, write: AppliedWrite, *, times: int = 1) -> None:
        """Do what was planned; times: how often its row is paid for."""
        if self.observer:
            self.observer.wrote(self, write, times=times)
        if write.new != write.old:  # as in DynamoDB, the stream has no record of what changes nothing
            self._replace(*write)

    def query(self, request: Request) -> Answer:
        """Return a page; one that is full has a key to go on from, even if nothing follows, as DynamoDB has it."""
        _require_exact(request)
        index = request.get("IndexName", "")
        keys = self.schema.indexes[index].keys if index else self.keys
        found = self._found(index, keys, request)
        names = {*keys.names, *self.keys.names}
        if request.get("Select") == "COUNT":
            found = [self._entry(index, row) for row in found]
        page, is_cut = _page(found, request.get("Limit"))
        self._see_read(index, page, request)
        more = {"LastEvaluatedKey": {name: page[-1][name] for name in names}} if is_cut else {}
        if request.get("Select") == "COUNT":
            return {"Count": sum(_passes(row, request) for row in page), "ScannedCount": len(page), **more}
        return {"Items": page, "Count": len(page), "ScannedCount": len(page), **more}

    def scan(self, request: Request) -> Answer:
        """Return a page of all rows."""
        _require_exact(request)
        rows = list(self.rows())
        if start := request.get("ExclusiveStartKey"):
            rows = [row for row in rows if self._place(row) > self._place(start)]
        page, is_cut = _page(rows, request.get("Limit"))
        self._see_read("", page, request)
        more = {"LastEvaluatedKey": {name: page[-1][name] for name in self.keys.names}} if is_cut else {}
        return {"Items": page, "Count": len(page), "ScannedCount": len(page), **more}

    def _found(self, index: str, keys: Keys, request: Request) -> list[Typed]:
        """Return the rows of a query in its order, from its start key on."""
        partition, is_found = request["ExpressionAttributeValues"][":p"]["S"], _key_condition(request)
        found = self._of_index(keys, partition, is_found) if index else self._of_partition(partition, request)
        if start := request.get("ExclusiveStartKey"):
            found = self._behind(start, keys, found, request)
        if not request.get("ScanIndexForward", True):
            found.reverse()
        return found

    def _of_partition(self, partition: str, request: Request) -> list[Typed]:
        rows, order = self._rows.get(partition, {}), self._order.get(partition, [])
        values = request["ExpressionAttributeValues"]
        bounds = [_sort_place(values[bound]) for bound in (":s", ":t") if bound in values]
        return [rows[sort] for sort in order[_key_range(order, request, bounds)]]

    def _of_index(self, keys: Keys, partition: str, is_found: Callable[[Typed], bool]) -> list[Typed]:
        entries = (row for rows in self._rows.values() for row in rows.values())
        found = [
            row
            for row in entries
            if all(name in row for name in keys.names)
            and row[keys.partition]["S"] == partition
            and (keys.sort is None or is_found(row[keys.sort]))
        ]
        return sorted(found, key=partial(self._order_of, keys))

    def _entry(self, index: str, row: Typed) -> Typed:
        """Return the entry of a row in an index."""
        if not index or (projects := self.schema.indexes[index].projects) is None:
            return row
        names = {*self.schema.indexes[index].keys.names, *self.keys.names, *projects}
        return {name: value for name, value in row.items() if name in names}

    def _behind(self, start: Typed, keys: Keys, found: list[Typed], request: Request) -> list[Typed]:
        """Return the rows, by the order of their keys, behind a start key, which must lie within the query."""
        if start.keys() != {*keys.names, *self.keys.names} or _is_no_key(start, keys) or _is_no_key(start, self.keys):
            raise invalid("The provided starting key is invalid")
        is_outside = start[keys.partition] != request["ExpressionAttributeValues"][":p"]
        if is_outside or (keys.sort is not None and not _key_condition(request)(start[keys.sort])):
            raise invalid("The provided starting key is outside query boundaries based on provided conditions")
        order = partial(self._order_of, keys)
        if request.get("ScanIndexForward", True):
            return found[bisect_right(found, order(start), key=order) :]
        return found[: bisect_left(found, order(start), key=order)]

    def _order_of(self, keys: Keys, row: Typed) -> Order:
        return (*([_sortable(row[keys.sort])] if keys.sort else []), *self._place(row))

    def _see_read(self, index: str, rows: list[Typed], request: Request) -> None:
        if self.observer:
            self.observer.read(self, index, rows, consistent=request.get("ConsistentRead", False))

    def _replace(self, key: Typed, old: Typed | None, new: Typed | None) -> None:
        partition, sort = self._place(key)
        rows, order = self._rows.setdefault(partition, {}), self._order.setdefault(partition, [])
        if new is None:
            del rows[sort], order[bisect_left(order, sort)]
            if not rows:
                del self._rows[partition], self._order[partition]
        else:
            if sort not in rows:
                insort(order, sort)
            rows[sort] = new
        if self.schema.stream:
            self._records.append(self._record(key, old, new))

    def _record(self, key: Typed, old: Typed | None, new: Typed | None) -> Record:
        self._changes += 1
        images = {"OldImage": old, "NewImage": new}
        return {
            # As in AWS, no two streams have a record of the same id.
            "eventID": blake2s(f"{self.name} {self._changes}".encode(), digest_size=16).hexdigest(),
            "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
            "dynamodb": {
                "ApproximateCreationDateTime": clock.now_ms() // 1000,
                "SequenceNumber": f"{self._changes:021}",
                "Keys": key,
                **{name: image for name, image in images.items() if image is not None},
            },
            "eventSourceARN": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{self.name}/stream/2020-01-01",
        }

    def _place(self, key: Typed) -> Place:
        return key[self.keys.partition]["S"], _sort_place(key[self.keys.sort]) if self.keys.sort else ""

    def _key_in(self, row: Typed) -> Typed:
        return self._require_key({name: row[name] for name in self.keys.names if name in row})

    def _require_key(self, key: Typed) -> Typed:
        if key.keys() != {*self.keys.names} or _is_no_key(key, self.keys):
            raise invalid("The provided key element does not match the schema")
        return key

    def _require_fit(self, row: Typed) -> None:
        if any(_is_no_key(row, index.keys) for index in self.schema.indexes.values()):
            raise invalid("One or more parameter values are not valid for an index key")
        if not fit([row], _MAX_ITEM_BYTES):
            raise invalid("Item size has exceeded the maximum allowed size")


def _page(found: list[Typed], limit: int | None) -> tuple[list[Typed], bool]:
    """Return as many rows as one page has, and true if more may follow."""
    page = found[:limit]
    if len(page) == 1 or fit(page, MAX_PAGE_BYTES):
        return page, len(page) == limit
    sizes = accumulate(map(size_of, page))
    return page[: 1 + next(number for number, size in enumerate(sizes) if size > MAX_PAGE_BYTES)], True


def _passes(row: Typed, request: Request) -> bool:
    return "FilterExpression" not in request or condition(request["FilterExpression"])(row, request)


def _is_no_key(row: Typed, keys: Keys) -> bool:
    """Return true if an attribute of a key is there and can be none."""
    for name, limit, kind in zip(keys.names, _MAX_KEY_BYTES, ("S", keys.sort_type), strict=False):
        if name in row and (kind not in row[name] or not 1 <= len(row[name][kind].encode()) <= limit):
            return True
    return False


def _sort_place(value: dict[str, Any]) -> str:
    return str(value["S"]) if "S" in value else f"{int(value['N']):038d}"


def _sortable(value: dict[str, Any]) -> str | int:
    return int(value["N"]) if "N" in value else str(value["S"])


def _after(kind: WriteKind, old: Typed | None, key: Typed, request: Request) -> Typed | None:
    """Return the row as a write leaves it, None if it deletes it."""
    if kind == "Put":
        new: Typed = request["Item"]
        return new
    if kind == "Update":
        return updated(old or key, request)
    return old if kind == "ConditionCheck" else None
