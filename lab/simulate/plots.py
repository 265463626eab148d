"""The picture of a prediction: where the time goes, when decisions come, and how much of each limit is used."""

from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from lab.simulate.prediction import Prediction
from lab.simulate.report import LAG_MS, LATE_MS

BLUE, PALE, RED, GREY = "#2b6ca3", "#b9d3e8", "#c2413a", "#6b7280"
LIMITS: Final = 10
WIDTHS: Final = (1.0, 0.8, 1.0)
NARROW: Final = {"columnspacing": 1.2, "handlelength": 1.5}
ABOVE_LEGEND: Final = 26
"""Points from the plot to its title: the legend lies between them, where no bar is."""


def draw(predictions: list[Prediction], file: Path) -> None:
    """Draw one row for each prediction."""
    spaced = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.15)
    figure = Figure(figsize=(15, 4 * len(predictions)), layout=spaced)
    rows = figure.subplots(len(predictions), 3, squeeze=False, width_ratios=WIDTHS)
    for (steps, late, used), prediction in zip(rows, predictions, strict=True):
        _steps(steps, prediction)
        _late(late, prediction)
        _used(used, prediction)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=110)


def _steps(axes: Axes, prediction: Prediction) -> None:
    names = [*prediction.steps, "whole"]
    times = [*prediction.steps.values(), prediction.lag]
    axes.barh(names, [one.p99 / 1_000 for one in times], color=PALE, label="p99")
    axes.barh(names, [one.p50 / 1_000 for one in times], color=BLUE, height=0.4, label="p50")
    axes.axvline(LAG_MS / 1_000, color=RED, linewidth=1, label="goal")
    axes.invert_yaxis()
    _tidy(axes, f"{prediction.load.machines:,} machines: from PUT to readable, s")


def _late(axes: Axes, prediction: Prediction) -> None:
    names, late = [*prediction.late], [*prediction.late.values()]
    axes.bar(names, [one.longest / 1_000 for one in late], color=GREY, width=0.6, label="max")
    axes.bar(names, [one.p99 / 1_000 for one in late], color=PALE, width=0.5, label="p99")
    axes.bar(names, [one.p50 / 1_000 for one in late], color=BLUE, width=0.3, label="p50")
    axes.axhline(LATE_MS / 1_000, color=RED, linewidth=1, label="goal")
    axes.set_xlim(-0.75, len(names) - 0.25)  # else one bar would be as wide as the plot
    _tidy(axes, "decided after it was due, s")


def _used(axes: Axes, prediction: Prediction) -> None:
    most = sorted(prediction.used, key=lambda one: -one.share)[:LIMITS]
    colours = [RED if one.share > 1 else BLUE for one in most]
    axes.barh([one.what for one in most], [one.share for one in most], color=colours)
    axes.axvline(1, color=RED, linewidth=1, label="all of it")
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    _tidy(axes, "share of each limit in the busiest second")


def _tidy(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=10, pad=ABOVE_LEGEND)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1), ncols=4, frameon=False, fontsize=8, **NARROW)
    axes.spines[["top", "right"]].set_visible(False)
