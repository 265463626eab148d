"""Two revisions of one time: one of each side of a sync. An index has no order among them."""

import pytest

from andon.dynamodb.client import Table
from andon.dynamodb.key_query import KeyQuery
from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.testing.memory.aws import AwsInMemory
from andon.versions.bitemporal import Asked, Timeline, revision_at

KEYS = Keys("pk", "sk", one_partition_per="entity")
BY_TIME = Keys("pk", "timestamp", sort_type="N", one_partition_per="entity")
CORRECTIONS = Keys("pk", "validFrom", sort_type="N", one_partition_per="entity")
SCHEMA = TableSchema(KEYS, indexes={"ByTime": Index(BY_TIME), "Corrections": Index(CORRECTIONS)})

TABLE = Table("REVISIONS_TABLE", KEYS)
TIMELINE = Timeline(
    TABLE,
    recorded=KeyQuery(keys=BY_TIME, index_name="ByTime", partition="press"),
    corrections=KeyQuery(keys=CORRECTIONS, index_name="Corrections", partition="press"),
)

LATER = 10**12


@pytest.mark.parametrize("places", ["ab", "ba"])
@pytest.mark.parametrize("valid_from", [{}, {"validFrom": 5}], ids=["recorded at once", "recorded late"])
def test_of_two_revisions_of_one_time_the_higher_version_is_the_later_one(
    places: str, valid_from: dict[str, int]
) -> None:
    with AwsInMemory({"REVISIONS_TABLE": SCHEMA}):
        TABLE.put({"pk": "press", "sk": "0", "version": 1, "timestamp": 1}, condition=TABLE.absent)
        for version, place in enumerate(places, start=2):
            row = {"pk": "press", "sk": place, "version": version, "timestamp": 9, **valid_from}
            TABLE.put(row, condition=TABLE.absent)

        asked = [(0, LATER), (1, LATER), (5, LATER), (9, LATER), (LATER, 9), (LATER, 8)]
        found = [revision_at(TIMELINE, Asked(*at)) for at in asked]

    assert [row and row["version"] for row in found] == [None, 1, 3 if valid_from else 1, 3, 3, 1]
