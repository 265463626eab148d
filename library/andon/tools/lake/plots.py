"""Pictures of saved queries: the frame, and what they have in common; a project has the pictures themselves."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from andon.project import project
from andon.tools.lake.engine import Record, TextTable
from andon.tools.stack.errors import ToolFailed

Picture = Callable[[Figure, Sequence[Record]], None]
"""Draws the rows of an answer."""

BLUE, PALE, GREY = "#2b6ca3", "#b9d3e8", "#6b7280"
FORMATS: Final = (".png", ".svg", ".pdf")
CHARACTERS: Final = 8  # of a title, in an inch
DOTS = 150  # in an inch
HOUR: Final = timedelta(hours=1)


def pictures() -> Mapping[str, Picture]:
    """Return the project's picture of each saved query that has one, by the query's name."""
    module = project().pictures
    drawn: Mapping[str, Picture] = {} if module is None else importlib.import_module(module).PICTURES
    return drawn


def require_drawable(name: str, file: Path) -> None:
    """Check that there is a picture of a query, and that it can be written, before anything is asked.

    Raises:
        Failed: it is not a saved query, or the file's ending is not known.

    """
    if name not in (known := pictures()):
        raise ToolFailed(f"PLOT draws saved queries only: NAME={', '.join(sorted(known)) or 'none of this project'}")
    require_format(file)


def require_format(file: Path) -> None:
    """Check that a picture can be written.

    Raises:
        Failed: the file's ending is not known.

    """
    if file.suffix not in FORMATS:
        raise ToolFailed(f"PLOT writes {', '.join(FORMATS)}, not {file.name}")


def draw(name: str, table: TextTable, file: Path, *, title: str) -> None:
    """Draw the answer of a saved query into a file.

    Raises:
        Failed: the answer has no rows.

    """
    if not table.rows:
        raise ToolFailed("there is nothing to draw: the answer has no rows")
    figure = Figure(layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
    pictures()[name](figure, table.records())
    wide = int(figure.get_size_inches()[0] * CHARACTERS)
    figure.suptitle(
        "\n".join(fill(line, wide) for line in title.split("\n")), x=0.01, ha="left", fontsize=12, fontweight="bold"
    )
    figure.savefig(file, dpi=DOTS)


def rows_of(figure: Figure, count: int) -> list[Axes]:
    """Return axes one below another, which share time."""
    return list(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0])


def to_moments(texts: Sequence[str]) -> list[Any]:
    """Return times as matplotlib takes them."""
    return [datetime.fromisoformat(text).astimezone(UTC) for text in texts]


def hours_between(first: str, last: str) -> list[Any]:
    """Return all hours between two, and one more, in which nothing happened: an hour without facts is no row."""
    begin, end = to_moments([first, last])
    return [begin + timedelta(hours=number) for number in range(int((end - begin) / HOUR) + 2)]


def dates(axes: Axes) -> None:
    """Write times below axes, each as short as its neighbours allow."""
    locator = AutoDateLocator(tz=UTC)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=UTC))  # type: ignore[no-untyped-call]


def tidy(axes: Axes, what: str) -> None:
    """Name the axis below, and leave out lines that say nothing."""
    axes.set_xlabel(what, color=GREY)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e5e7eb", zorder=0)
    axes.set_axisbelow(True)
