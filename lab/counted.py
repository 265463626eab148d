"""AWS in memory whose units and requests are counted in dollars."""

from collections.abc import Iterable, Mapping
from typing import Final

from andon.dynamodb.schema import TableSchema
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.calls import Answer, Call
from andon.testing.memory.meter import Meter
from lab.prices import READ_UNIT, S3_GET, S3_PUT, WRITE_UNIT

MILLION: Final = 1_000_000

OF_S3: Final = {"PutObject": S3_PUT.for_(1), "DeleteObjects": 0.0}
"""Dollars of a request; any other is as a GET. To delete is free."""


class Counted(AwsInMemory):
    """Tables and buckets; a request by a presigned address counts, too."""

    def __init__(self, schemas: Mapping[str, TableSchema], buckets: Iterable[str]) -> None:
        self.meter, self.dollars = Meter(), 0.0
        super().__init__(schemas, buckets, self.meter)

    def spent(self) -> float:
        """Return the dollars spent since the last call."""
        used, self.meter.used = self.meter.used, Meter().used
        dollars, self.dollars = self.dollars, 0.0
        units = used.write_units * WRITE_UNIT.dollars + used.reads * READ_UNIT.dollars
        return dollars + units / MILLION

    def answer(self, call: Call) -> Answer:
        """Answer a call, and count it if it is one of S3's."""
        if call.service == "s3":
            self.dollars += OF_S3.get(call.operation, S3_GET.for_(1))
        return super().answer(call)
