"""All that a stack keeps for long and what it says to itself: its lake, its logs, its tables."""

import gzip
import json
from collections.abc import Iterator
from typing import Final

from andon.dynamodb.attribute_values import to_plain
from andon.tools.listings import keys_in
from lab.telling.target import CONTACTS, Target

GZIP: Final = b"\x1f\x8b"


def lake(target: Target) -> Iterator[tuple[str, str]]:
    """Yield each object of the lake."""
    s3 = target.stack.client("s3")
    for bucket in (one["Name"] for one in s3.list_buckets()["Buckets"] if "lake" in one["Name"].lower()):
        for key in keys_in(s3, bucket):
            body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
            yield "the lake", (gzip.decompress(body) if body.startswith(GZIP) else body).decode(errors="replace")


def logs(target: Target) -> Iterator[tuple[str, str]]:
    """Yield the lines of each log, by the page."""
    client = target.stack.client("logs")
    for page in client.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            for lines in client.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"]):
                yield "a log", "\n".join(line["message"] for line in lines["events"])


def rows(target: Target) -> Iterator[tuple[str, str]]:
    """Yield the rows of each table but that of addresses, by the page."""
    database = target.stack.client("dynamodb")
    for name, table in target.stack.outputs.items():
        if name.endswith("Table") and name != CONTACTS:
            for page in database.get_paginator("scan").paginate(TableName=table):
                yield f"a table: {name}", json.dumps([to_plain(row) for row in page["Items"]], default=str)
