"""`make audit`: compare every row of every view of the running system with what its events make of it, and repair.

Each shard of each view reads all objects of the lake that are not archived yet, so they are archived first. Then it
waits for the rows, a query for each partition: the views are looked at side by side. Then it looks for the objects of
contents that rows refer to.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from botocore.exceptions import ClientError

from andon.cdk.names import pascal
from andon.content.contents import OBJECT, SHA256, Contents
from andon.content.keep import fits
from andon.dynamodb import ttl
from andon.dynamodb.attribute_values import to_plain
from andon.packages.discovery import recomputed, services
from andon.recorded.archive import SHARDS
from andon.runtime import clock
from andon.tools.listings import rows_of
from andon.tools.stack import archive, aws, outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.wire.bucket import NOT_FOUND, Head


def run(deployed: dict[str, str], shards: Iterable[int] = range(SHARDS)) -> dict[str, Counter[str]]:
    """Look at shards of all views; return what was counted, by view.

    Raises:
        Failed: a look failed, so that not all rows were compared.

    """
    chosen, views, done = [*shards], [view.name for view in recomputed()], list[str]()
    with step("archiving what the lake has"):
        archive.run(deployed)
    what = f"comparing the rows of {', '.join(views)}"
    whole = len(chosen) * len(views)
    with step(what, lambda: f": {len(done)} of {whole} shards"), ThreadPoolExecutor(len(views)) as pool:
        return dict(zip(views, pool.map(lambda view: _look(deployed, view, chosen, done), views), strict=True))


def _look(deployed: dict[str, str], view: str, shards: Iterable[int], done: list[str]) -> Counter[str]:
    lambda_, counts = aws.client("lambda", deployed["Endpoint"]), Counter[str]()
    for shard in shards:
        asked = json.dumps({"shard": shard}).encode()
        invoked = lambda_.invoke(FunctionName=deployed[f"{pascal(view)}Recompute"], Payload=asked)
        answer = json.loads(invoked["Payload"].read())
        if invoked.get("FunctionError") or answer["counts"]["failed"]:
            raise ToolFailed(f"{view}, shard {shard}: {answer}")
        counts.update(answer["counts"])
        done.append(view)
    return counts


def lost(deployed: dict[str, str]) -> dict[str, list[str]]:
    """Look for all contents that rows refer to; return the keys of the rows whose object is lost, by service."""
    with step("looking for the contents of users"):
        return {one.name: [*_lost(deployed, one.contents)] for one in services() if one.contents}


def _lost(deployed: dict[str, str], contents: Contents) -> Iterator[str]:
    dynamodb, s3 = (aws.client(service, deployed["Endpoint"]) for service in ("dynamodb", "s3"))
    for row in map(to_plain, rows_of(dynamodb, deployed[pascal(contents.table.variable)])):
        is_reference = SHA256 in row and ttl.is_alive(row, clock.now_ms())
        if is_reference and not fits(row[SHA256], _head(s3, deployed[pascal(contents.variable)], row[OBJECT])):
            yield " ".join(str(row[name]) for name in contents.table.keys.names)


def _head(s3: Any, bucket: str, name: str) -> Head | None:  # noqa: ANN401  boto3's
    try:
        found = s3.head_object(Bucket=bucket, Key=name, ChecksumMode="ENABLED")
    except ClientError as error:
        if error.response["Error"]["Code"] not in NOT_FOUND:
            raise
        return None
    return Head(found["ContentLength"], found.get("ChecksumSHA256"))


def lines_of(counted: dict[str, Counter[str]]) -> list[str]:
    """Return a line for each view."""
    return [
        f"{view}: {counts['rows']:,} rows compared, {counts['drift']:,} differed, {counts['repaired']:,} repaired"
        + (f"; {counts['doubtful']:,} are looked at again in a quarter of an hour" if counts["doubtful"] else "")
        for view, counts in counted.items()
    ]


def main() -> int:
    """Entry point; 1 if a row differed and was not repaired, or a content is lost."""
    deployed = outputs.of_running_stack()
    counted, missing = run(deployed), lost(deployed)
    print("\n".join(lines_of(counted)))
    if any(counts["drift"] for counts in counted.values()):
        print("GET /drift says which rows, and where they differed.")
    for service, keys in missing.items():
        print("\n  ".join([f"{service}: {len(keys):,} contents are lost: attach them again to upload them", *keys]))
    return int(any(missing.values()) or any(counts["drift"] > counts["repaired"] for counts in counted.values()))


if __name__ == "__main__":
    sys.exit(main())
