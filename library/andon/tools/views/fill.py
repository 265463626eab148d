"""`make fill`: fills a view's next version from the lake, while live events go on coming to it.

It empties the table first: what is there would make duplicates of the same events, also where the code has changed.
Then it has the whole lake replayed to the version's own queue. A replay waits until the lake has all that the bus took
before: also the events of rows that were deleted here while live events wrote them.
"""

import argparse
import sys
import time
from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

from andon.packages.discovery import views
from andon.packages.package import Package
from andon.packages.serving import has_served
from andon.runtime.json_types import JsonObject
from andon.tools.called import as_called
from andon.tools.listings import rows_of
from andon.tools.stack import outputs
from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.progress import step
from andon.tools.views.deployed import Deployed, deployed
from andon.tools.views.versions import ViewVersions, versions

AT_ONCE: Final = 25  # https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
POLL_S: Final = 1.0
REPLAYS: Final = "ReplaysQueueUrl"
_SETTLES_S: Final = 60  # what is not read by then is read later
ACCEPTED: Final = 202
OK: Final = 200
ENDED: Final = frozenset({"done", "cancelled"})


def fill(stack: Deployed, both: ViewVersions, *, rate: int | None = None) -> JsonObject:
    """Empty the next version's table and fill it from the lake; return the replay of the whole lake.

    Raises:
        Failed: it serves or has served, is not deployed, or the replay ended otherwise, or with faults.

    """
    view = both.after
    if has_served(view.name, first=both.before.name):
        raise ToolFailed(
            f"{view.name} has served: its rows expire, and callers may read them; make a new version instead"
        )
    if REPLAYS not in stack.outputs:
        raise ToolFailed(outputs.lacking(REPLAYS))
    with step(f"emptying {view.name}"):
        empty(stack, view)
    whole = replay(stack, view, rate=rate)
    if faults := whole.get("faults"):
        raise ToolFailed(f"the replay to {view.name} had {faults} faults, see /faults")
    with step(f"waiting until {view.name} has read its queue"):
        while not stack.is_idle(view):
            time.sleep(POLL_S)
    return whole


def fill_new(stack: Deployed, names: Collection[str]) -> Iterator[str]:
    """Fill views that a stack did not have before from its lake; yield a line about each.

    Live events come to them from the first moment; those that come twice are duplicates. A stack without the store of
    replays fills nothing.

    Raises:
        Failed: a replay was refused, or cancelled.

    """
    for view in views() if REPLAYS in stack.outputs else ():
        if view.name in names and view.serves:  # a next version is filled, and proven, by verbs of its own
            whole = replay(stack, view, rate=None)
            eventually(partial(stack.is_idle, view), within_s=_SETTLES_S)
            faults = f" {whole['faults']} became faults, see /faults." if whole.get("faults") else ""
            yield f"{view.name} is new: {whole['events']} events of the lake were replayed to it.{faults}"


def empty(stack: Deployed, view: Package) -> None:
    """Delete all rows of a view's table."""
    dynamodb, table = stack.client("dynamodb"), stack.table(view)
    keys = [*rows_of(dynamodb, table, view.view.KEYS.names)]
    for first in range(0, len(keys), AT_ONCE):
        left: JsonObject = {table: [{"DeleteRequest": {"Key": key}} for key in keys[first : first + AT_ONCE]]}
        while left:
            left = dynamodb.batch_write_item(RequestItems=left).get("UnprocessedItems", {})


def replay(stack: Deployed, view: Package, *, rate: int | None) -> JsonObject:
    """Have the lake replayed to a view's queue; return the replay, `faults` of it included, once all is on its way.

    Raises:
        Failed: it was refused, or did not end well.

    """
    asked = {"view": view.name} | ({} if rate is None else {"rate": rate})
    answer = stack.api.request("POST", "/replays", asked)
    if answer.status != ACCEPTED:
        raise ToolFailed(f"the replay was refused: {answer.status} {answer.body.decode(errors='replace')}")
    place, seen = answer.headers["location"], {**answer.json}
    with step(f"replaying the lake to {view.name}", lambda: f": {seen.get('events', 0)} events"):
        while seen.get("state") not in ENDED:
            time.sleep(POLL_S)
            seen |= _status(stack.api, place)
    if seen["state"] != "done":
        raise ToolFailed(f"the replay {place} ended as {seen['state']}")
    return seen


def _status(api: ApiClient, place: str) -> JsonObject:
    answer = api.get(place)
    if answer.status != OK:
        raise ToolFailed(f"GET {place} answered {answer.status}")
    status: JsonObject = answer.json
    return status


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("fill"), description=__doc__)
    parser.add_argument("view")
    parser.add_argument("--rate", type=int, help="events a second, at most")
    parser.add_argument("--stack", help="the name of a stack on AWS (default: the one on this machine)")
    options = parser.parse_args()
    both, stack = versions(options.view), deployed(options.stack)
    done = fill(stack, both, rate=options.rate)
    print(f"{done['events']} events of the lake were replayed to {both.after.name}")
    print(f"next: {as_called('prove', VIEW=options.view)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
