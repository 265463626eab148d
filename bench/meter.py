"""What functions ask of AWS, and the units that DynamoDB says it cost: counted at `aws.call`, whichever the wire is."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from bench.instead_of_aws import InPlaceOfCall

READS: Final = frozenset({"get_item", "query", "batch_get_item"})
WRITES: Final = frozenset({"put_item", "update_item", "delete_item", "transact_write_items"})


@dataclass(slots=True)
class Usage:
    """What was asked in the name of one function; entries: of PutEvents, up to 64 KB each."""

    requests: Counter[str] = field(default_factory=Counter)
    read_units: float = 0
    write_units: float = 0
    entries: int = 0


class Meter(InPlaceOfCall):
    """Lets requests through and counts them, for whoever `on_behalf_of` names."""

    def __init__(self) -> None:
        super().__init__()
        self.usage: dict[str, Usage] = defaultdict(Usage)
        self._whose = ""
        self._lock = Lock()  # a batch is worked through in several threads, with botocore

    @contextmanager
    def on_behalf_of(self, name: str) -> Iterator[Usage]:
        """Count what follows for one function."""
        before, self._whose = self._whose, name
        try:
            yield self.usage[name]
        finally:
            self._whose = before

    def call(self, service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        """Have DynamoDB say what a request cost, and add it up."""
        if operation in READS | WRITES:
            request["ReturnConsumedCapacity"] = "TOTAL"
        response = self.aws_call(service, operation, **request)
        with self._lock:
            self._count(self.usage[self._whose], operation, request, response)
        return response

    def _count(self, usage: Usage, operation: str, request: dict[str, Any], response: dict[str, Any]) -> None:
        usage.requests[operation] += 1
        usage.entries += len(request.get("Entries", ()))
        if operation in READS:
            usage.read_units += _units_in(response)
        elif operation in WRITES:
            usage.write_units += _units_in(response)


def _units_in(response: dict[str, Any]) -> float:
    consumed = response.get("ConsumedCapacity", [])
    tables = consumed if isinstance(consumed, list) else [consumed]
    return sum(float(table["CapacityUnits"]) for table in tables)
