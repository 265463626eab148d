"""`make in-step`: compare all rows of two versions of a service, and show what they do not say alike.

What is on its way is waited for. With SEND=1 what one side lacks is sent to it: its first rows, when the new version
has just been deployed, and whatever was lost. It crosses as any edit does, in the order of edits, so that nothing newer
is overwritten. What a side lacks of its own edits is shown and not sent: nobody else can publish them. They are in its
backup, and any edit of the row, on either side, puts it in step.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from andon.cdk.names import pascal
from andon.dynamodb.attribute_values import Item, to_plain
from andon.packages.discovery import services
from andon.packages.package import Package
from andon.runtime import clock
from andon.sync.crossing import Crossing
from andon.tools.called import as_called
from andon.tools.listings import rows_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.sync.compare import Crossings, PublishedRows, SyncDifference, differences
from andon.tools.views.deployed import Deployed, deployed
from andon.wire.queue import DelayedMessage, entries_of

PATIENCE_S: Final = 30.0
AGAIN_S: Final = 0.5
SHOWN: Final = 20  # rows; all are counted


class CrossingWay(NamedTuple):
    """The way on which edits of a service cross into its other version."""

    source: Package
    into: Package
    crossings: Crossings


def ways() -> list[CrossingWay]:
    """Return every way on which edits cross."""
    return [
        CrossingWay(Package("services", source), into, _crossings(into, source))
        for into in services()
        for source in sorted({source for source, _ in into.latched})
    ]


def _crossings(into: Package, source: str) -> dict[tuple[str, str], Crossing[Any]]:
    on = into.load("subscriptions").ON
    return {topic: on[topic] for topic in into.latched if topic[0] == source}


def out_of_step(stack: Deployed) -> list[SyncDifference]:
    """Return the current differences between the versions of all services."""
    every = ways()
    rows = {
        variable: _rows(stack, package, variable)
        for package in {way.source for way in every} | {way.into for way in every}
        for variable, schema in package.tables.items()
        if schema.stream
    }
    return [found for way in every for found in _between(way, rows)]


def _between(way: CrossingWay, rows: Mapping[str, list[Item]]) -> Iterator[SyncDifference]:
    mine = [row for variable in way.source.tables if variable in rows for row in rows[variable]]
    ours = PublishedRows(way.source.facts, mine)
    theirs = {variable: rows[variable] for variable in way.into.tables if variable in rows}
    return differences(ours, theirs, way.crossings, now_ms=clock.now_ms())


def _rows(stack: Deployed, package: Package, variable: str) -> list[Item]:
    table = stack.output(pascal(variable), package)
    return [*map(to_plain, rows_of(stack.client("dynamodb"), table))]


def settled(stack: Deployed, *, patience_s: float) -> list[SyncDifference]:
    """Return the differences that are left when everything on its way should have come."""
    until = time.monotonic() + patience_s
    while (found := out_of_step(stack)) and time.monotonic() < until:
        time.sleep(AGAIN_S)
    return found


def send(stack: Deployed, found: list[SyncDifference]) -> int:
    """Send what one side lacks to its queue; return how many rows."""
    by_service: dict[str, list[str]] = {}
    for one in found:
        if one.is_sent:
            by_service.setdefault(one.into, []).append(one.message)
    for name, messages in by_service.items():
        queue = stack.output(f"{pascal(name)}QueueUrl", Package("services", name))
        for entries in entries_of(map(DelayedMessage, messages)):
            if stack.client("sqs").send_message_batch(QueueUrl=queue, Entries=entries).get("Failed"):
                raise ToolFailed("not all rows could be sent; try again")
    return sum(map(len, by_service.values()))


def lines_of(found: list[SyncDifference]) -> Iterator[str]:
    """Yield the report: the number of differences of each pair, and a line for each row shown."""
    for way in ways():
        differing = [one for one in found if (one.source, one.into) == (way.source.name, way.into.name)]
        yield f"{way.source.name} -> {way.into.name}: {f'not alike: {len(differing):,}' if differing else 'in step'}"
        yield from (f"  {one}" for one in differing[:SHOWN])


def main() -> int:
    """Entry point; 1 if anything differs."""
    options = _options()
    stack = deployed(options.stack)
    found = settled(stack, patience_s=0 if options.send else options.patience)
    if options.send:
        print(f"sent: {send(stack, found):,}")
        found = settled(stack, patience_s=options.patience)
    print("\n".join(lines_of(found)) or "no service here is another version of one")
    return int(bool(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=as_called("in-step"), description=__doc__)
    parser.add_argument("--send", action="store_true", help="send what one side lacks to it")
    parser.add_argument("--patience", type=float, default=PATIENCE_S, help="seconds to wait for what is on its way")
    parser.add_argument("--stack", help="the name of a stack on AWS; otherwise the one on this machine")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
