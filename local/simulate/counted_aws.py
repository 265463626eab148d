"""DynamoDB, the bus and the broker in this process: they keep rows, and count what AWS would charge and limit.

Units are counted as DynamoDB does: a write costs one for each KB of the larger of the row before and after, in the
table and in each index that has the row and whose copy changes; a write whose condition fails costs as much as the row
that it met; a query costs half a unit for each 4 KB that it reads, twice that if it is consistent.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
"""

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2s
from math import ceil
from typing import Any, Final, NamedTuple

from local.bench.instead_of_aws import InPlaceOfCall
from local.in_process.expressions import FITS, condition, updated
from patterns.dynamodb.attribute_values import Typed
from patterns.dynamodb.schema import Keys, TableSchema
from patterns.runtime import clock
from patterns.runtime.errors import CallFailed

KB: Final = 1024
READ_KB: Final = 4
DUE: Final = "due#"
"""How the partitions begin that hold what is due; see `patterns/rules/due.py`."""


class Place(NamedTuple):
    """A table, or an index of it; `index_name` is empty for the table itself."""

    table: str
    index_name: str = ""


@dataclass(slots=True)
class Used:
    """What one function asked of AWS. writes: units by place and partition key. read_units: by place."""

    requests: Counter[str] = field(default_factory=Counter)
    writes: Counter[tuple[Place, str]] = field(default_factory=Counter)
    read_units: defaultdict[Place, float] = field(default_factory=lambda: defaultdict(float))
    entries: int = 0
    entry_bytes: int = 0
    pushes: int = 0

    @property
    def reads(self) -> float:
        """The read units of all places."""
        return sum(self.read_units.values())

    @property
    def write_units(self) -> int:
        """The units of all places."""
        return self.writes.total()


class _Rows:
    """The rows of a table, by partition and in the order of sort keys."""

    def __init__(self, schema: TableSchema) -> None:
        self.schema = schema
        self.partitions: dict[str, dict[str, Typed]] = defaultdict(dict)
        self.order: dict[str, list[str]] = defaultdict(list)
        self.bytes: Counter[str] = Counter()  # by index, "" for the table: what lies there

    def place(self, row: Typed) -> tuple[str, str]:
        keys = self.schema.keys
        return row[keys.partition]["S"], _text(row[keys.sort]) if keys.sort else ""

    def get(self, key: Typed) -> Typed | None:
        partition, sort = self.place(key)
        return self.partitions[partition].get(sort)

    def put(self, key: Typed, row: Typed | None) -> None:
        partition, sort = self.place(key)
        rows, order = self.partitions[partition], self.order[partition]
        if row is None:
            if rows.pop(sort, None) is not None:
                del order[bisect_left(order, sort)]
            return
        if sort not in rows:
            insort(order, sort)
        rows[sort] = row


class CountedAws(InPlaceOfCall):
    """Stands in for `aws.call`; every table is called as its environment variable is.

    used: by the name that `on_behalf_of` says. late_ms: of each due time that was taken out of its partition, by table,
    how long after its time. decided: how many rows rules have put, by table.
    """

    def __init__(self, schemas: Mapping[str, TableSchema]) -> None:
        super().__init__()
        self.used: dict[str, Used] = defaultdict(Used)
        self.late_ms: dict[str, list[int]] = defaultdict(list)
        self.decided: Counter[str] = Counter()
        self._tables = {name: _Rows(schema) for name, schema in schemas.items()}
        self._records: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._published: list[dict[str, str]] = []
        self._changes = 0
        self._who = ""

    @contextmanager
    def on_behalf_of(self, name: str) -> Iterator[Used]:
        """Count what follows for one function."""
        before, self._who = self._who, name
        try:
            yield self.used[name]
        finally:
            self._who = before

    def forget_counts(self) -> None:
        """Count anew; the rows stay."""
        self.used.clear()
        self.late_ms.clear()
        self.decided.clear()

    def new_records(self, table: str) -> list[dict[str, Any]]:
        """Take the records of a table's stream since the last time, as Lambda gets them."""
        return self._records.pop(table, [])

    def new_entries(self) -> list[dict[str, str]]:
        """Take what was published since the last time."""
        entries, self._published = self._published, []
        return entries

    def stored_bytes(self) -> dict[Place, int]:
        """Return how many bytes lie in each table and index."""
        return {Place(name, index): size for name, rows in self._tables.items() for index, size in rows.bytes.items()}

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Answer as AWS does, and count."""
        used = self.used[self._who]
        used.requests[operation] += 1
        match operation:
            case "put_item" | "update_item" | "delete_item":
                return self._write(used, operation, request)
            case "get_item" | "batch_get_item" | "query":
                return self._READ[operation](self, used, request)
            case "transact_write_items":
                return self._transact(used, request)
            case "put_events":
                return self._publish(used, request["Entries"])
            case "publish":
                used.pushes += 1
                return {}
        raise NotImplementedError(f"{service} {operation}")

    def _publish(self, used: Used, entries: list[dict[str, str]]) -> dict[str, Any]:
        used.entries += len(entries)
        used.entry_bytes += sum(len(entry["Detail"].encode()) for entry in entries)
        self._published += entries
        return {"FailedEntryCount": 0, "Entries": [{"EventId": "taken"} for _ in entries]}

    def _get(self, used: Used, request: dict[str, Any]) -> dict[str, Any]:
        row = self._tables[request["TableName"]].get(request["Key"])
        used.read_units[Place(request["TableName"])] += _read_units(
            [row] if row else [], consistent=request["ConsistentRead"]
        )
        return {} if row is None else {"Item": row}

    def _get_many(self, used: Used, request: dict[str, Any]) -> dict[str, Any]:
        [(table, asked)] = request["RequestItems"].items()
        rows = [row for key in asked["Keys"] if (row := self._tables[table].get(key))]
        units = sum(_read_units([row], consistent=asked["ConsistentRead"]) for row in rows)
        used.read_units[Place(table)] += units
        return {"Responses": {table: rows}}

    def _query(self, used: Used, request: dict[str, Any]) -> dict[str, Any]:
        rows = self._tables[request["TableName"]]
        values = {place: value["S"] for place, value in request["ExpressionAttributeValues"].items()}
        fits, forward = FITS[request["KeyConditionExpression"]], request["ScanIndexForward"]
        partition, order = rows.partitions[values[":p"]], rows.order[values[":p"]]
        start = request.get("ExclusiveStartKey")
        behind = rows.place(start)[1] if start else None
        found = []
        for sort in order if forward else reversed(order):
            passed = behind is None or (sort > behind if forward else sort < behind)
            if passed and fits(sort, values.get(":s", ""), values.get(":t", "")):
                found.append(partition[sort])
                if len(found) == request["Limit"]:
                    break
        place = Place(request["TableName"], request.get("IndexName", ""))
        used.read_units[place] += _read_units(found, consistent=request["ConsistentRead"])
        more = len(found) == request["Limit"]
        last = {"LastEvaluatedKey": {name: found[-1][name] for name in rows.schema.keys.names}} if more else {}
        return {"Items": found, **last}

    _READ: Final = {"get_item": _get, "batch_get_item": _get_many, "query": _query}

    def _transact(self, used: Used, request: dict[str, Any]) -> dict[str, Any]:
        """Do all writes, each for twice the units; conditions are not checked together, for nobody else writes."""
        for item in request["TransactItems"]:
            ((kind, write),) = item.items()
            for _ in range(2):
                self._write(used, f"{kind.lower()}_item", {**write, "ConditionExpression": ""})
        return {}

    def _write(self, used: Used, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        table = request["TableName"]
        rows = self._tables[table]
        key = {name: (request.get("Item") or request["Key"])[name] for name in rows.schema.keys.names}
        old = rows.get(key)
        expression = request.get("ConditionExpression")
        if expression and not condition(expression)(old or {}, request):
            used.writes[Place(table), rows.place(key)[0]] += _write_units(old, None)
            raise CallFailed("ConditionalCheckFailedException", {"Item": old} if old else {})
        new = None
        if operation != "delete_item":
            new = request["Item"] if operation == "put_item" else updated(old or key, request)
        self._count(used, table, rows, old, new, key)
        if new != old:
            rows.put(key, new)
            self._record(table, key, old, new)
        return {"Attributes": new} if "ReturnValues" in request else {}

    def _count(self, used: Used, table: str, rows: _Rows, old: Typed | None, new: Typed | None, key: Typed) -> None:
        partition = rows.place(key)[0]
        used.writes[Place(table), partition] += _write_units(old, new)
        rows.bytes[""] += _size(new) - _size(old)
        for name, index in rows.schema.indexes.items():
            before, after = (_copied(row, index.keys, index.projects, rows.schema.keys) for row in (old, new))
            if before == after:
                continue
            if before and after and _partition(before, index.keys) == _partition(after, index.keys):
                used.writes[Place(table, name), _partition(after, index.keys)] += _write_units(before, after)
            else:  # an entry that moves is deleted and put
                for one in filter(None, (before, after)):
                    used.writes[Place(table, name), _partition(one, index.keys)] += _write_units(one, None)
            rows.bytes[name] += _size(after) - _size(before)
        if partition.startswith(DUE) and old is not None and new is None:
            self.late_ms[table].append(clock.now_ms() - int(old["at"]["N"]))
        if new is not None and old is None and new.get("by", {}).get("S") == "rule":
            self.decided[table] += 1

    def _record(self, table: str, key: Typed, old: Typed | None, new: Typed | None) -> None:
        if not self._tables[table].schema.stream or self._tables[table].place(key)[0].startswith(DUE):
            return  # a mapping's filter drops what is due, see infra/service.py
        self._changes += 1
        images = {"OldImage": old, "NewImage": new}
        self._records[table].append(
            {
                "eventID": blake2s(str(self._changes).encode(), digest_size=16).hexdigest(),
                "eventName": "INSERT" if old is None else "REMOVE" if new is None else "MODIFY",
                "dynamodb": {
                    "Keys": key,
                    "ApproximateCreationDateTime": clock.now_ms() // 1000,
                    **{name: image for name, image in images.items() if image is not None},
                },
                "eventSourceARN": f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}/stream/2020-01-01",
            }
        )


def _text(value: dict[str, str]) -> str:
    return value["S"] if "S" in value else value["N"]


def _size(row: Typed | None) -> int:
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


def _write_units(one: Typed | None, other: Typed | None) -> int:
    return max(1, ceil(max(_size(one), _size(other)) / KB))


def _read_units(rows: list[Typed], *, consistent: bool) -> float:
    units = max(1, ceil(sum(map(_size, rows)) / (READ_KB * KB)))
    return units if consistent else units / 2


def _copied(row: Typed | None, keys: Keys, projects: tuple[str, ...] | None, table: Keys) -> Typed | None:
    """Return what an index has of a row; None if it has not all of the index's key."""
    if row is None or any(name not in row for name in keys.names):
        return None
    if projects is None:
        return row
    return {name: row[name] for name in {*keys.names, *table.names, *projects} if name in row}


def _partition(row: Typed, keys: Keys) -> str:
    return _text(row[keys.partition])
