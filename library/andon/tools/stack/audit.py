"""`make audit`: compare every row of every view of the running system with what its events make of it, and repair.

Each shard of each view reads all objects of the lake that are not archived yet, so they are archived first. Then it
waits for the rows, a query for each partition: the views are looked at side by side.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from andon.cdk.names import pascal
from andon.packages.discovery import recomputed
from andon.recorded.archive import SHARDS
from andon.tools.stack import archive, aws, outputs
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step


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


def lines_of(counted: dict[str, Counter[str]]) -> list[str]:
    """Return a line for each view."""
    return [
        f"{view}: {counts['rows']:,} rows compared, {counts['drift']:,} differed, {counts['repaired']:,} repaired"
        + (f"; {counts['doubtful']:,} are looked at again in a quarter of an hour" if counts["doubtful"] else "")
        for view, counts in counted.items()
    ]


def main() -> int:
    """Entry point; 1 if a row differed and was not repaired."""
    counted = run(outputs.of_running_stack())
    print("\n".join(lines_of(counted)))
    if any(counts["drift"] for counts in counted.values()):
        print("GET /drift says which rows, and where they differed.")
    return int(any(counts["drift"] > counts["repaired"] for counts in counted.values()))


if __name__ == "__main__":
    sys.exit(main())
