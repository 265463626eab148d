"""Of all workers one at a time probes a channel that keeps failing."""

from unittest.mock import patch

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema
from andon.outbound.delivery import NotTaken
from andon.outbound.pace import OPENS_AT, PROBED_EVERY_MS, read, record, take_probe
from andon.testing.memory.aws import AwsInMemory

NOW = 1_800_000_000_000
KEYS = Keys("pk", "sk", one_partition_per="entity")
TABLE = Table("BREAKER_TABLE", KEYS)


def test_of_two_workers_one_probes_an_open_breaker_from_the_very_time_on() -> None:
    with (
        AwsInMemory({TABLE.variable: TableSchema(KEYS)}),
        patch.dict("os.environ", {TABLE.variable: TABLE.variable}),
    ):
        for _ in range(OPENS_AT):
            record(TABLE, read(TABLE, "mail"), NotTaken("timeout"), NOW)
        tripped = read(TABLE, "mail")

        assert tripped.is_open(NOW + PROBED_EVERY_MS - 1)
        assert not tripped.is_open(NOW + PROBED_EVERY_MS)
        assert [take_probe(TABLE, tripped, NOW + PROBED_EVERY_MS) for _ in "ab"] == [True, False]
