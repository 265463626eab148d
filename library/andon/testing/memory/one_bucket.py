"""AWS in memory with the objects of one view, seen as the rows that are in them."""

import json

from andon.dynamodb.attribute_values import to_plain, to_typed
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.hook import Answer, AwsRefused, Call
from andon.testing.memory.tables import Partitions
from andon.views.object_table import ObjectRows, ObjectTable


class OneBucket(AwsInMemory):
    """AWS with one bucket, of a view in objects."""

    def __init__(self, objects: ObjectTable) -> None:
        super().__init__({}, [objects.variable])
        self._objects = objects
        self._room: int | None = None

    @property
    def partitions(self) -> Partitions:
        """The typed rows of each object, by the key of the object and their place in it."""
        bodies = self.store[self._objects.variable].bodies
        return {name: self._rows_in(body) for name, body in bodies.items()}

    @partitions.setter
    def partitions(self, objects: Partitions) -> None:
        keys, bodies = self._objects.keys, dict[str, bytes]()
        for name, typed in objects.items():
            rows = [to_plain(row) for row in typed.values()]
            group = keys.group_of(rows[0])
            bodies[name] = ObjectRows(keys, group, rows).to_json().encode()
        self.store[self._objects.variable].bodies = bodies

    def busy_after(self, writes: int | None) -> None:
        """Refuse every object behind the first `writes`; None: no object."""
        self._room = writes

    def answer(self, call: Call) -> Answer:
        """Answer one call, unless it puts an object and S3 is busy."""
        if self._room is not None and call.operation == "PutObject":
            if not self._room:
                raise AwsRefused("SlowDown", status=503)
            self._room -= 1
        return super().answer(call)

    def _rows_in(self, body: bytes) -> dict[str, dict[str, dict[str, str]]]:
        keys, content = self._objects.keys, json.loads(body)
        rows = ObjectRows.from_json(keys, tuple(content[part] for part in keys.groups), body)
        return {json.dumps(keys.place_of(row)): to_typed(row) for row in rows}
