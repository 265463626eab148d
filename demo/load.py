"""`make load`: many state reports at once, and the log of each machine that they have to be in."""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import urlencode

from andon.runtime import times
from andon.tools.stack.api import ApiConnection, HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed
from contract import groups
from demo import loading
from demo.loading import Item, LoadProfile

# Reports of one machine, so that one query can show all of those that are watched.
EACH: Final = 100
PAGE: Final = 40  # small, so that reading the view means going from page to page
STATES: Final = ("NORMAL", "WARNING1", "WARNING2", "ERROR")
OK: Final = 200


def made_up(run: str, count: int, newest_ms: int) -> list[Item]:
    """Make up `count` distinct reports, in turn of machines that nothing else speaks of; a machine is a group."""
    machines = math.ceil(count / EACH)
    return [
        _item(f"load-{run}-{number % machines}", STATES[number % len(STATES)], times.to_utc(newest_ms - number))
        for number in range(count)
    ]


def send(connection: ApiConnection, item: Item) -> int:
    """PUT the report."""
    state, timestamp = item.name.split(" ")
    path = path_of("equipment", item.group, "states", timestamp)
    return connection.request("PUT", path, {"state": state}).status


def shown(connection: ApiConnection, items: Sequence[Item]) -> list[Item]:
    """Return the logs of a machine from the oldest of some reports to the newest."""
    ordered = sorted(_time_of(item) for item in items)
    return _items(_logs(connection, items[0].group, limit=EACH, **{"from": ordered[0], "to": ordered[-1]}))


def pages(connection: ApiConnection, machine: str) -> Iterator[Item]:
    """Yield all logs of a machine."""
    cursor: dict[str, str] = {}
    while True:
        answer = _logs(connection, machine, limit=PAGE, **cursor)
        yield from _items(answer)
        if "cursor" not in answer.json:
            return
        cursor = {"cursor": answer.json["cursor"]}


def _logs(connection: ApiConnection, machine: str, **query: str | int) -> HttpResponse:
    answer = connection.request("GET", f"{path_of('equipment', machine, 'logs')}?{urlencode(query)}")
    if answer.status != OK:
        raise ToolFailed(f"the view answered {answer.status}: {answer.body.decode(errors='replace')}")
    return answer


def _items(answer: HttpResponse) -> list[Item]:
    return [_item(log["equipmentId"], log["state"], log["timestamp"]) for log in answer.json["items"]]


def _time_of(item: Item) -> str:
    return item.name.partition(" ")[2]


def _item(machine: str, state: str, timestamp: str) -> Item:
    return Item(group=machine, name=f"{state} {timestamp}")


STATE_REPORTS: Final = LoadProfile(
    what="state reports",
    writer=groups.OPERATOR,  # for many machines; a device reports for itself only
    reader=groups.OPERATOR,
    made_up=made_up,
    send=send,
    shown=shown,
    pages=pages,
)

if __name__ == "__main__":
    sys.exit(loading.main(STATE_REPORTS))
