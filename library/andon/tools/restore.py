"""Bring back the rows that a table has lost, from a copy restored beside it; see docs/backup-and-restore.md.

`python -m andon.tools.restore ThingsTable restored-things` says how many there are; `--write` puts them. What the
table has stays as it is, also if it differs: it is newer, or was changed by a command, and a command changes it back.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from andon.cdk.names import stack_of
from andon.runtime import clock
from andon.tools.listings import rows_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import deployed

Item = Mapping[str, Mapping[str, Any]]
"""A row as DynamoDB has it: attribute -> type -> value."""

TTL: Final = "ttl"


def lost(copy: Iterable[Item], live: Iterable[Item], *, keys: list[str], now_ms: int) -> Iterator[Item]:
    """Yield the rows of a copy that the table has not, and that have not expired since. Pure."""
    there = {_key(row, keys) for row in live}
    for row in copy:
        if _key(row, keys) not in there and not ("N" in row.get(TTL, {}) and int(row[TTL]["N"]) * 1000 <= now_ms):
            yield row


def _key(row: Item, keys: list[str]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in keys)


def _put(dynamodb: Any, table: str, row: Item, *, keys: list[str]) -> bool:  # noqa: ANN401  a client
    """Put a row unless somebody else has put one there meanwhile; return whether it was put."""
    try:
        dynamodb.put_item(
            TableName=table,
            Item=row,
            ConditionExpression="attribute_not_exists(#key)",
            ExpressionAttributeNames={"#key": keys[0]},
        )
    except dynamodb.exceptions.ConditionalCheckFailedException:
        return False
    return True


def restore(stage: str | None, output: str, copy: str, *, write: bool) -> str:
    """Bring back what a table of a stage has lost; return what was done.

    Raises:
        Failed: the stage has no such table.

    """
    stack = deployed(stage and stack_of(stage))
    if output not in stack.outputs:
        raise ToolFailed(f"there is no output {output}")
    dynamodb, live = stack.client("dynamodb"), stack.outputs[output]
    keys = [one["AttributeName"] for one in dynamodb.describe_table(TableName=live)["Table"]["KeySchema"]]
    rows = [*lost(rows_of(dynamodb, copy), rows_of(dynamodb, live), keys=keys, now_ms=clock.now_ms())]
    if not write:
        return f"{len(rows)} rows of {copy} are not in {live}; bring them back: --write"
    put = sum(_put(dynamodb, live, row, keys=keys) for row in rows)
    return f"{put} rows of {copy} are in {live} again"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="andon restore", description=__doc__)
    parser.add_argument("output", help="the stack's output with the name of the table, as ThingsTable")
    parser.add_argument("copy", help="the name of the table that was restored beside it")
    parser.add_argument("--stage", help="the stage on AWS (default: what runs on this machine)")
    parser.add_argument("--write", action="store_true", help="put the rows")
    given = parser.parse_args()
    print(restore(given.stage, given.output, given.copy, write=given.write))
    return 0


if __name__ == "__main__":
    sys.exit(main())
