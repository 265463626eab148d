"""Metadata, states and audits lie in one partition, so that one query answers what would else be several."""

import pytest

from andon.dynamodb.schema import BeginsWith, Between, KeyQuery, LessThan, Sort
from andon.runtime import times
from andon.testing.loop import Loop
from services.equipment.tables import KEYS, TABLE, partition_of
from tests.support.samples import NOW
from tests.support.services.reports import report
from tests.support.services.versions import audit, put

DAY_MS = 86_400_000
YESTERDAY, TODAY = times.to_utc(NOW - DAY_MS), times.to_utc(NOW)
LATEST_YESTERDAY = times.to_utc(NOW - 1)


@pytest.mark.parametrize(
    ("sort", "limit", "sort_keys"),
    [
        (Between("0", "Metadata"), 10, ["Metadata", TODAY, LATEST_YESTERDAY, YESTERDAY]),
        (Between("0", "Metadata"), 2, ["Metadata", TODAY]),
        (BeginsWith(YESTERDAY[:10]), 1, [LATEST_YESTERDAY]),
        (LessThan(":"), 1, [TODAY]),
        (BeginsWith("v0_Audit#"), 10, ["v0_Audit#belt", "v0_Audit#_"]),
    ],
    ids=["metadata, then states", "metadata and the latest state", "the latest of a day", "the latest ever", "audits"],
)
def test_one_descending_query_gives(
    loop: Loop, equipment_id: str, sort: Sort, limit: int, sort_keys: list[str]
) -> None:
    put(loop, equipment_id)
    for at in (LATEST_YESTERDAY, TODAY, YESTERDAY):
        report(loop, equipment_id, at=at)
    for part in ("_", "belt"):
        audit(loop, equipment_id, part=part)
        audit(loop, equipment_id, "failed", part=part, if_match=1)

    rows = TABLE.query(KeyQuery(keys=KEYS, partition=partition_of(equipment_id), sort=sort), limit=limit).items

    assert [row["sk"] for row in rows] == sort_keys
