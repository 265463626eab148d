"""DynamoDB, the bus and the broker in this process: they keep rows, and count what AWS would charge and limit.

A write costs units in the table and in each index that has the row and whose copy changes; a write whose condition
fails costs as much as the row that it met.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2s
from typing import Any, Final

from andon.dynamodb.attribute_values import Typed
from andon.dynamodb.schema import TableSchema
from andon.runtime import clock
from andon.runtime.errors import CallFailed
from andon.tools.in_process.expressions import FITS, condition, updated
from bench.instead_of_aws import InPlaceOfCall
from bench.simulate.rows import Rows, copied, partition_of
from bench.simulate.units import read_units, size_of, write_units
from bench.simulate.used import DUE, Place, Used


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
        self.schemas = schemas
        self._tables = {name: Rows(schema) for name, schema in schemas.items()}
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
        used.read_units[Place(request["TableName"])] += read_units(
            [row] if row else [], consistent=request["ConsistentRead"]
        )
        return {} if row is None else {"Item": row}

    def _get_many(self, used: Used, request: dict[str, Any]) -> dict[str, Any]:
        [(table, asked)] = request["RequestItems"].items()
        rows = [row for key in asked["Keys"] if (row := self._tables[table].get(key))]
        units = sum(read_units([row], consistent=asked["ConsistentRead"]) for row in rows)
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
        used.read_units[place] += read_units(found, consistent=request["ConsistentRead"])
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
            used.writes[Place(table), rows.place(key)[0]] += write_units(old, None)
            raise CallFailed("ConditionalCheckFailedException", {"Item": old} if old else {})
        new = None
        if operation != "delete_item":
            new = request["Item"] if operation == "put_item" else updated(old or key, request)
        self._count(used, table, rows, old, new, key)
        if new != old:
            rows.put(key, new)
            self._record(table, key, old, new)
        return {"Attributes": new} if "ReturnValues" in request else {}

    def _count(self, used: Used, table: str, rows: Rows, old: Typed | None, new: Typed | None, key: Typed) -> None:
        partition = rows.place(key)[0]
        used.writes[Place(table), partition] += write_units(old, new)
        rows.bytes[""] += size_of(new) - size_of(old)
        for name, index in rows.schema.indexes.items():
            before, after = (copied(row, index.keys, index.projects, rows.schema.keys) for row in (old, new))
            if before == after:
                continue
            if before and after and partition_of(before, index.keys) == partition_of(after, index.keys):
                used.writes[Place(table, name), partition_of(after, index.keys)] += write_units(before, after)
            else:  # an entry that moves is deleted and put
                for one in filter(None, (before, after)):
                    used.writes[Place(table, name), partition_of(one, index.keys)] += write_units(one, None)
            rows.bytes[name] += size_of(after) - size_of(before)
        if partition.startswith(DUE) and old is not None and new is None:
            self.late_ms[table].append(clock.now_ms() - int(old["at"]["N"]))
        if new is not None and old is None and new.get("by", {}).get("S") == "rule":
            self.decided[table] += 1

    def _record(self, table: str, key: Typed, old: Typed | None, new: Typed | None) -> None:
        if not self._tables[table].schema.stream or self._tables[table].place(key)[0].startswith(DUE):
            return  # a mapping's filter drops what is due, see library/andon/cdk/service.py
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
