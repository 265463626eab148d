from typing import Any

import boto3
import pytest
from moto import mock_aws

from andon.tools import restore
from andon.tools.restore import lost
from andon.tools.views.deployed import Deployed

NOW = 1_588_032_000_000
KEYS = ["pk", "sk"]


def row(sk: str, **attributes: Any) -> dict[str, Any]:  # noqa: ANN401  any attribute of DynamoDB's
    return {"pk": {"S": "a"}, "sk": {"S": sk}, **attributes}


def test_only_rows_that_the_table_lacks_come_back_and_none_that_has_expired_since() -> None:
    copy = [row("lost"), row("there", v={"N": "1"}), row("expired", ttl={"N": str(NOW // 1000)})]
    copy += [row("lives", ttl={"N": str(NOW // 1000 + 1)})]

    assert [*lost(copy, [row("there", v={"N": "2"})], keys=KEYS, now_ms=NOW)] == [row("lost"), copy[-1]]


def test_what_the_table_has_stays_and_nothing_is_written_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    with mock_aws():
        dynamodb = boto3.client("dynamodb", region_name="us-east-1")
        for name in ("live", "copy"):
            dynamodb.create_table(
                TableName=name,
                BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in KEYS],
            )
        for item in (row("1"), row("2", v={"N": "1"})):
            dynamodb.put_item(TableName="copy", Item=item)
        dynamodb.put_item(TableName="live", Item=row("2", v={"N": "2"}))
        stack = Deployed(None, {"ThingsTable": "live"}, lambda _: dynamodb, settles_s=0)
        monkeypatch.setattr(restore, "deployed", lambda _: stack)

        said = [restore.restore(None, "ThingsTable", "copy", write=write) for write in (False, True, True)]

        assert [one.split()[0] for one in said] == ["1", "1", "0"]
        items = dynamodb.scan(TableName="live")["Items"]
        assert sorted(items, key=str) == sorted([row("1"), row("2", v={"N": "2"})], key=str)
