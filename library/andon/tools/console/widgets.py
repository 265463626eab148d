"""The widgets of the deployed dashboard, and the metrics in each. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from andon.runtime.json_types import JsonMapping

_NAMED: Final = 2  # a metric is `[namespace, name, dimension, value, …, {label, stat}]`

_LOG_GROUP: Final = "log group"
"""The dimension, and the namespace, of a member of log lines."""

_SOURCE: Final = re.compile(r"SOURCE '([^']+)'")
_COLUMN: Final = re.compile(r"(sum|max)\(`([^`]+)`\) as `([^`]+)`")
_STATISTICS: Final = {"sum": "Sum", "max": "Maximum"}


class Metric(NamedTuple):
    """A metric of CloudWatch; `dimensions` are pairs of name and value, in order of name."""

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...] = ()

    @property
    def about(self) -> str:
        """The value of its only dimension, such as the name of a queue."""
        [(_, value)] = self.dimensions
        return value


class Statistic(NamedTuple):
    """A metric and what is shown of it: `Sum`, `Maximum`, or a percentile such as `p99`."""

    metric: Metric
    statistic: str


@dataclass(frozen=True, slots=True)
class Widget:
    """A graph of the dashboard: what is shown under each label. Its title is `<subject>: <what>`, or `<what>`."""

    title: str
    shown: Mapping[str, Statistic]

    @property
    def subject(self) -> str:
        """The subject of the title, such as a view; empty: everything."""
        subject, colon, _ = self.title.partition(": ")
        return subject if colon else ""

    @property
    def what(self) -> str:
        """The title without its subject."""
        return self.title.removeprefix(f"{self.subject}: ")


@dataclass(frozen=True, slots=True)
class WidgetTable:
    """The widgets that show the same of several subjects: a row for each, a column for each label."""

    title: str
    rows: tuple[Widget, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The labels, in order."""
        return tuple(dict.fromkeys(label for row in self.rows for label in row.shown))


def widgets_of(body: str) -> list[Widget]:
    """Return the widgets of a dashboard's body, which is JSON."""
    return [_widget(one["properties"]) for one in json.loads(body)["widgets"]]


def tables_of(widgets: Iterable[Widget]) -> list[WidgetTable]:
    """Return the widgets as tables, in the order in which each title comes first.

    A widget that is about everything is turned: each of its labels is a row.
    """
    by_what: dict[str, list[Widget]] = {}
    for widget in widgets:
        rows = [widget] if widget.subject else _turned(widget)
        by_what.setdefault(widget.what, []).extend(rows)
    return [WidgetTable(what, tuple(rows)) for what, rows in by_what.items()]


def _turned(widget: Widget) -> list[Widget]:
    return [Widget(f"{label}: {widget.what}", {"now": shown}) for label, shown in widget.shown.items()]


def _widget(properties: JsonMapping) -> Widget:
    if "query" in properties:
        return Widget(properties["title"], dict(_asked(properties["query"])))
    return Widget(properties["title"], dict(_shown(one) for one in properties["metrics"]))


def logged(name: str, log_group: str) -> Metric:
    """Return a member of the lines of a log group as a metric of its own."""
    return Metric(_LOG_GROUP, name, ((_LOG_GROUP, log_group),))


def _asked(query: str) -> Iterator[tuple[str, Statistic]]:
    """Yield what a query shows of the lines of a log group, see `andon.cdk.operations.dashboard`."""
    [log_group] = _SOURCE.findall(query)
    for aggregate, member, label in _COLUMN.findall(query):
        yield label, Statistic(logged(member, log_group), _STATISTICS[aggregate])


def _shown(listed: Sequence[Any]) -> tuple[str, Statistic]:
    *words, options = listed
    pairs = words[_NAMED:]
    dimensions = tuple(sorted(zip(pairs[::2], pairs[1::2], strict=True)))
    return options["label"], Statistic(Metric(words[0], words[1], dimensions), options["stat"])
