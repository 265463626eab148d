"""The report as a picture: decisions by day, before and after, a row for each rule."""

from datetime import date
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from andon.tools.lake.plots import BLUE, DOTS, GREY, PALE, dates, rows_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.report import RuleChange, WhatIf

WIDTH: Final = 0.4  # of a bar, in days
_ROW_INCHES: Final = 1.8


def draw(report: WhatIf, file: Path) -> None:
    """Draw a report into a file.

    Raises:
        ToolFailed: nothing was decided.

    """
    rules = [rule for rule in report.rules if rule.by_day]
    if not rules:
        raise ToolFailed("there is nothing to draw: nothing was decided")
    figure = Figure(figsize=(9, 1 + _ROW_INCHES * len(rules)), layout=ConstrainedLayoutEngine(w_pad=0.15, h_pad=0.12))
    axes = rows_of(figure, len(rules))
    for one, rule in zip(axes, rules, strict=True):
        _draw_rule(one, rule)
    dates(axes[-1])
    axes[0].legend(loc="upper right", frameon=False, ncols=2)
    figure.suptitle(f"{report.before} → {report.after}", x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.savefig(file, dpi=DOTS)


def _draw_rule(axes: Axes, rule: RuleChange) -> None:
    days = [date.fromisoformat(day).toordinal() - date(1970, 1, 1).toordinal() for day in sorted(rule.by_day)]
    both = [rule.by_day[day] for day in sorted(rule.by_day)]
    axes.bar([day - WIDTH / 2 for day in days], [one.before for one in both], WIDTH, color=PALE, label="before")
    axes.bar([day + WIDTH / 2 for day in days], [one.after for one in both], WIDTH, color=BLUE, label="after")
    axes.set_title(rule.rule, loc="left", fontsize=10, color=GREY)
    axes.spines[["top", "right"]].set_visible(False)
