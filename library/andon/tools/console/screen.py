"""A screen of the console, from what was read. Nothing here asks anybody."""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto
from http import HTTPStatus
from typing import Final, NamedTuple

from rich import box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.console import widgets
from andon.tools.console.emulated import StackSnapshot
from andon.tools.console.widgets import Widget
from andon.tools.stack import users
from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed

# The faults of the running stack, as an admin reads and resubmits them over HTTP.


class FaultRow(NamedTuple):
    """A message that its consumer could not use; times are fixed-width UTC, empty if it was never so."""

    id: str
    timestamp: str
    consumer: str
    error: str
    resubmitted_at: str
    failed_again_at: str


def faults_of(body: JsonObject) -> list[FaultRow]:
    """Return the faults of a response's page."""
    return [
        FaultRow(
            id=item["id"],
            timestamp=item["timestamp"],
            consumer=item["consumer"],
            error=f"{item['error']['name']}: {item['error']['message']}",
            resubmitted_at=item.get("resubmittedAt", ""),
            failed_again_at=item.get("failedAgainAt", ""),
        )
        for item in body["items"]
    ]


def newest(deployed: dict[str, str]) -> list[FaultRow]:
    """Return the newest faults.

    Raises:
        Failed: the API does not answer as it should.
    """
    answer = _admin(deployed).get("/faults")
    if answer.status != HTTPStatus.OK:
        raise ToolFailed(f"GET /faults was answered {_text(answer)}")
    return faults_of(answer.json)


def resubmit(deployed: dict[str, str], fault: FaultRow) -> str:
    """Send the message of a fault back to the queue that it came from; return in a line what was answered."""
    answer = _admin(deployed).request("POST", path_of("faults", fault.id, "resubmit"))
    if answer.status == HTTPStatus.ACCEPTED:
        return f"{fault.id} is back in the queue of {fault.consumer}"
    return f"{fault.id} was refused: {_text(answer)}"


def _admin(deployed: dict[str, str]) -> ApiClient:
    return ApiClient(
        deployed["ApiUrl"], token=users.token(deployed, project().groups.admin)
    )  # anew: a token lives for an hour


def _text(answer: HttpResponse) -> str:
    return f"{answer.status} {answer.body.decode(errors='replace')}"


_RATE_SECONDS: Final = 30
PARTS: Final = 15  # of the window, each one character wide
BARS: Final = " ▁▂▃▄▅▆▇█"
UNKNOWN: Final = "?"
TROUBLE: Final = frozenset({"4xx", "5xx", "fault", "failed", "left", "unknown", "late", "flooded", "now"})
"""Labels of what should be 0."""
SHORT: Final = 8  # of an id
KEYS: Final = "q ends · f faults · ↑↓ chooses · r resubmits"


def flow(reading: StackSnapshot, *, stack: str) -> RenderableType:
    """Draw the tables of the dashboard."""
    minutes = reading.window_ms // 60_000
    heading = f"{stack} · {_clock(reading.at_ms)} UTC · sums and percentiles of {minutes} min, queues as they are now"
    note = f"{UNKNOWN} the emulator does not say; oldest: at most, since the console saw the queue empty"
    wide = [_table(table, reading) for table in reading.tables if _is_counted(table)]
    narrow = [_table(table, reading) for table in reading.tables if not _is_counted(table)]
    return Group(Text(heading, style="bold"), *wide, Columns(narrow, padding=(0, 2)), Text(note, style="dim"))


def faults(found: Sequence[FaultRow], *, chosen: int | None = None) -> RenderableType:
    """Draw faults, newest first, one of them chosen."""
    grid = Grid(
        title="Faults: messages that can never succeed", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1)
    )
    for name in ("", "fault", "since (UTC)", "consumer", "error", "resubmitted", "failed again"):
        grid.add_column(name, overflow="ellipsis", no_wrap=name != "error")
    for number, fault in enumerate(found):
        times = [_short(fault.resubmitted_at), _short(fault.failed_again_at)]
        mark, style = ("▶", "reverse") if number == chosen else ("", "")
        grid.add_row(
            mark, fault.id[:8], _short(fault.timestamp), fault.consumer, Text(fault.error), *times, style=style
        )
    return grid if found else Text("No faults.", style="green")


def sparkline(sums: Sequence[float]) -> str:
    """Draw sums as bars, the greatest as high as can be; what is not 0 can be seen."""
    most = max(sums, default=0) or 1
    return "".join(BARS[0 if not one else max(1, round(one / most * (len(BARS) - 1)))] for one in sums)


def _grid(title: str) -> Grid:
    heading = f"{title[:1].upper()}{title[1:]}"
    return Grid(
        title=f"\n{heading}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1),
        min_width=len(heading),
    )


def _table(table: widgets.WidgetTable, reading: StackSnapshot) -> RenderableType:
    if all(row.shown.keys() == {"now"} for row in table.rows):
        return _waiting(table, reading)
    grid = _grid(table.title)
    grid.add_column("")
    is_counted = _is_counted(table)
    for name in table.columns:
        grid.add_column(name, justify="right")
    if is_counted:
        grid.add_column("per s", justify="right")
        grid.add_column(f"{reading.window_ms // 60_000} min", no_wrap=True, min_width=PARTS)
    for row in table.rows:
        cells = [_cell(name, row, reading) for name in table.columns]
        grid.add_row(row.subject, *cells, *(_pace(row, reading) if is_counted else []))
    return grid


def _is_counted(table: widgets.WidgetTable) -> bool:
    return all(shown.statistic == "Sum" for row in table.rows for shown in row.shown.values())


def _waiting(table: widgets.WidgetTable, reading: StackSnapshot) -> RenderableType:
    """Draw only what is not empty."""
    grid = _grid(table.title)
    grid.add_column("queue")
    grid.add_column("now", justify="right")
    filled = [row for row in table.rows if reading.value(row.shown["now"])]
    for row in filled:
        grid.add_row(row.subject, _cell("now", row, reading))
    if not filled:
        grid.add_row(Text(f"all {len(table.rows)} are empty", style="green"), Text("0", style="dim"))
    return grid


def _cell(label: str, row: Widget, reading: StackSnapshot) -> Text:
    shown = row.shown.get(label)
    value = None if shown is None else reading.value(shown)
    if value is None:
        return Text(UNKNOWN, style="dim")
    style = "dim" if not value else "bold red" if label in TROUBLE else ""
    return Text(f"{value:,.0f}", style=style)


def _pace(row: Widget, reading: StackSnapshot) -> list[Text]:
    metric = next(iter(row.shown.values())).metric
    rate = reading.per_second(metric, seconds=_RATE_SECONDS)
    return [
        Text(f"{rate:.1f}", style="" if rate else "dim"),
        Text(sparkline(reading.trend(metric, parts=PARTS)), style="cyan"),
    ]


def _clock(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}"


def _short(timestamp: str) -> str:
    return timestamp[:19].replace("T", " ")


# The console's state, and its next state after a key. Pure.


class Deed(Enum):
    """The action of a key, beside a new state."""

    QUIT = auto()
    RESUBMIT = auto()


@dataclass(frozen=True, slots=True)
class ConsoleState:
    """The open view, the chosen fault and the last message of the console."""

    shows_faults: bool = False
    chosen: int = 0
    said: str = ""


def pressed(place: ConsoleState, key: str, *, faults: int) -> tuple[ConsoleState, Deed | None]:
    """Return the state after a key, and its action; `faults` is the number of listed faults."""
    match key:
        case "q":
            return place, Deed.QUIT
        case "f":
            return ConsoleState(shows_faults=not place.shows_faults), None
        case "up" | "down" if place.shows_faults and faults:
            step = 1 if key == "down" else -1
            return replace(place, chosen=min(max(0, place.chosen + step), faults - 1), said=""), None
        case "r" if place.shows_faults and faults:
            return place, Deed.RESUBMIT
    return place, None


# Keys of a terminal, one at a time and without Enter.

LONGEST: Final = 8  # bytes of one key
_ARROWS: Final = {"\x1b[A": "up", "\x1b[B": "down", "k": "up", "j": "down"}


@contextmanager
def keys_at_once() -> Iterator[None]:
    """Let the terminal hand over each key at once and show none, until the end."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def key_within(seconds: float) -> str:
    """Return the next key, as `q` or `up`; empty if none is pressed in time."""
    terminal = sys.stdin.fileno()
    ready, _, _ = select.select([terminal], [], [], max(0.0, seconds))
    pressed = os.read(terminal, LONGEST).decode(errors="replace") if ready else ""
    return _ARROWS.get(pressed, pressed)
