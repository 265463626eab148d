"""`make trace`: prints what a fact was caused by and all that followed from it, as a tree with times.

| variable | meaning |
|---|---|
| `ID` | an event's id, a token of `x-after`, or what names a report, as `press-7/ERROR/2026-01-01T09:00:10.000Z` |
| `OTLP` | a file to write the trace into, too, as OTLP/JSON |
| `LAKE` | a folder with the lake's objects, in place of a stack; then nothing is known of what views have seen |
| `STACK` | the name of a stack on AWS, in place of the one on this machine |
| `UNTIL` | the last day to look at, as `2026-11-30`; else all days behind the first fact |
"""

import json
import os
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from andon.dynamodb.attribute_values import Item, to_plain, to_typed
from andon.packages.package import Package
from andon.project import project
from andon.runtime import times
from andon.tools.called import as_called
from andon.tools.lake import lake_copy
from andon.tools.stack.errors import ToolFailed
from andon.tools.trace.gathering import LakeFolder, Trace, asked_by, gather
from andon.tools.trace.otlp import to_otlp
from andon.tools.trace.readers import RowOf, readers_of
from andon.tools.trace.text import lines_of
from andon.tools.views.deployed import Deployed, deployed


def main(given: Mapping[str, str]) -> int:
    """Print a trace, or why there is none."""
    try:
        stack = None if given.get("LAKE") else deployed(given.get("STACK"))
        folder = Path(given["LAKE"]) if stack is None else lake_copy.copy(stack.lake)
        trace = trace_of(given, folder)
    except ToolFailed as reason:
        print(f"{as_called('trace')}: {reason}", file=sys.stderr)
        return 1
    print(*lines_of(trace, partial(readers_of, row_of=row_of_stack(stack) if stack else None)), sep="\n")
    if path := given.get("OTLP"):
        Path(path).write_text(json.dumps(to_otlp(trace), indent=2) + "\n")
    return 0


def trace_of(given: Mapping[str, str], folder: Path) -> Trace:
    """Return the trace that was asked for, from a folder with the lake's objects.

    Raises:
        Failed: nothing was asked for, a day is none, or the lake has no such fact.

    """
    if not given.get("ID"):
        raise ToolFailed(f"which fact? {as_called('trace', ID='…')}: an event's id, or a token of x-after")
    named_by = project().named_by
    return gather(LakeFolder(folder, until=_day(given.get("UNTIL"))), asked_by(given["ID"], named_by), named_by)


def row_of_stack(stack: Deployed) -> RowOf:
    """Return the reader of rows of a stack's views."""

    def row_of(view: Package, key: Mapping[str, str]) -> Item | None:
        found = stack.client("dynamodb").get_item(TableName=stack.table(view), Key=to_typed(key), ConsistentRead=True)
        return to_plain(found["Item"]) if "Item" in found else None

    return row_of


def _day(text: str | None) -> str | None:
    try:
        return times.date(text) if text else None
    except ValueError as error:
        raise ToolFailed(f"UNTIL={text}: {error}") from error


if __name__ == "__main__":
    sys.exit(main(os.environ))
