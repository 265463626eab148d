"""All rows and all objects, however many pages they come in."""

import boto3
from moto import mock_aws

from andon.dynamodb.schema import Keys, TableSchema
from andon.testing.create_table import create_table_request
from andon.testing.environment import ENVIRONMENT, REGION, environment
from andon.testing.memory.aws import AwsInMemory
from andon.testing.memory.objects import MOST_LISTED
from andon.tools.listings import keys_in, objects_in, rows_of
from andon.wire import aws

ROWS = 5
LONG = "x" * 300_000  # a page has 1 MB at the most


def test_rows_of_all_pages_are_read_whole_or_in_part() -> None:
    with environment(ENVIRONMENT), mock_aws():
        dynamodb = boto3.client("dynamodb", region_name=REGION)
        dynamodb.create_table(**create_table_request("things", TableSchema(Keys("name", one_partition_per="entity"))))
        rows = [{"name": {"S": str(number)}, "text": {"S": LONG}} for number in range(ROWS)]
        for row in rows:
            dynamodb.put_item(TableName="things", Item=row)

        assert len(dynamodb.scan(TableName="things")["Items"]) < ROWS
        assert sorted(rows_of(dynamodb, "things"), key=str) == rows
        assert sorted(rows_of(dynamodb, "things", ["name"]), key=str) == [{"name": row["name"]} for row in rows]


def test_objects_of_all_pages_are_listed_and_none_of_another_prefix() -> None:
    with AwsInMemory({}, ["things"]) as memory:
        keys = [f"a/{number:05}" for number in range(MOST_LISTED + 1)]
        memory.store["things"].bodies = {**dict.fromkeys(keys, b"12"), "b": b""}
        s3 = aws.client("s3")

        assert [*keys_in(s3, "things", "a/")] == keys
        assert [*keys_in(s3, "things")] == [*keys, "b"]
        assert [*keys_in(s3, "things", "c/")] == []
        assert {one["Size"] for one in objects_in(s3, "things", "a/")} == {2}
