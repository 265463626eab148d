"""The dashboard of the running system, on AWS; `make console` draws it on this machine.

A widget's title is `<subject>: <measure>`. The console makes one table of the widgets of a measure: a row for each
subject, a column for each label. What functions count stands in their log lines, which CloudWatch Logs Insights reads
when somebody looks: as metrics it would be paid for while nobody does.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import IConstruct

from andon.cdk.api import Api
from andon.cdk.function import Function
from andon.cdk.operations.metrics import MINUTE, iterator_age, of_api, of_readers, oldest, waiting
from andon.cdk.queues import LastResort, Reader
from andon.rules.sweep import OLDEST
from andon.views.outcome import Outcome
from andon.views.results import LAG

_FULL_WIDTH: Final = 24

_PUBLISHED: Final = ("records", "published", "fault")
"""The counts of a trigger."""

DECISIONS: Final = ("due", "failed", "left", "unknown", "decided", "stands", "late", "flooded", "fault")
"""The counts of a control service."""

OUTCOMES: Final = ("received", *Outcome, "put_back")
"""The counts of a listener; what is put back is among what failed, and comes again without its group."""

RECOMPUTED: Final = ("rows", "drift", "repaired", "doubtful")
"""The counts of a view's comparison with its events."""

Widget = cloudwatch.ConcreteWidget
Row = list[Widget]


class Counts(NamedTuple):
    """Members of a function's log lines: their sums by label, and the longest of some times, in milliseconds."""

    function: Function
    sums: Mapping[str, str]
    longest: Mapping[str, str] = {}

    def drawn(self, title: str, width: int) -> Widget:
        """Return the widget, a line for each label."""
        shown = [(f"sum(`{member}`)", label) for label, member in self.sums.items()]
        shown += [(f"max(`{member}`)", label) for label, member in self.longest.items()]
        stats = ", ".join(f"{aggregate} as `{label}`" for aggregate, label in shown)
        return cloudwatch.LogQueryWidget(
            title=title,
            log_group_names=[self.function.handler.log_group.log_group_name],
            query_lines=["filter ispresent(function_request_id)", f"stats {stats} by bin(1m)"],
            view=cloudwatch.LogQueryVisualizationType.LINE,
            width=width,
        )


_Graphs = Mapping[str, Mapping[str, cloudwatch.Metric] | Counts]
"""Title -> what is drawn: a metric by its label, or counts."""


def draw(root: Stack, found: Sequence[IConstruct], parts: Iterable[Row]) -> None:
    """Create the dashboard in the root stack, which may refer to all others: a row for each part of the flow."""
    functions = [one for one in found if isinstance(one, Function)]
    rows = [_of_api(one) for one in found if isinstance(one, Api)]
    lag = {share: of_readers(root, LAG, share) for share in ("p50", "p99")}
    rows.append(_row({"All readers: from the bus to the row (ms)": lag}))
    rows += parts
    rows += [_of_trigger(one) for one in functions if one.role == "trigger"]
    rows += [_of_sweep(one) for one in functions if one.role == "sweep" and one.package.side == "services"]
    rows += [_of_recompute(one) for one in functions if one.role == "recompute"]
    dead = {_place_of(one): waiting(one) for one in found if isinstance(one, LastResort)}
    cloudwatch.Dashboard(root, "Dashboard", widgets=[*rows, _row({"Messages that wait for a person": dead})])


def _of_api(api: Api) -> Row:
    counts = {name: of_api(name)(api) for name in ("Count", "4xx", "5xx")}
    latency = {share: of_api("Latency", share)(api) for share in ("p50", "p99")}
    return _row({"HTTP: requests and refusals": counts, "HTTP: latency (ms)": latency})


def of_reader(reader: Reader) -> Row:
    """Return the outcomes of a listener's events, and its queue."""
    return _row({**_outcomes(reader), **_queue(reader)})


def of_crossing(source: str, reader: Reader) -> Row:
    """Return the edits that cross into a service from another version of it."""
    crossed = {"crossed": f"{source}.applied", "overtaken": f"{source}.overtaken"}
    return _row({f"{source} to {reader.name}: what became of edits": Counts(reader.listener, crossed)})


def of_queue(reader: Reader) -> Row:
    """Return the row of a listener's queue."""
    return _row(_queue(reader))


def _of_trigger(trigger: Function) -> Row:
    name = trigger.package.name
    published, age = _counts(trigger, _PUBLISHED), {"age": iterator_age(trigger)}
    return _row({f"{name}: what was published": published, f"{name}: age of the last change read (ms)": age})


def _of_sweep(sweep: Function) -> Row:
    name = sweep.package.name
    oldest_left = Counts(sweep, {}, longest={"oldest": OLDEST})
    return _row(
        {f"{name}: what was decided": _counts(sweep, DECISIONS), f"{name}: delay of what was left (ms)": oldest_left}
    )


def _of_recompute(recompute: Function) -> Row:
    name = recompute.package.name
    return _row({f"{name}: what drifted": _counts(recompute, RECOMPUTED)})


def _counts(function: Function, names: Iterable[str]) -> Counts:
    return Counts(function, {name: name for name in map(str, names)})


def _outcomes(reader: Reader) -> _Graphs:
    return {f"{reader.name}: what became of events": _counts(reader.listener, OUTCOMES)}


def _queue(reader: Reader) -> _Graphs:
    """Return the messages that wait, those in work, and the seconds that the oldest waits."""
    queue = reader.queue
    waits = {
        "waiting": queue.metric_approximate_number_of_messages_visible(period=MINUTE, statistic="Maximum"),
        "in work": queue.metric_approximate_number_of_messages_not_visible(period=MINUTE, statistic="Maximum"),
        "oldest (s)": oldest(reader),
    }
    return {f"{reader.name}: its queue": waits}


def _place_of(queue: LastResort) -> str:
    """Return the path of a dead-letter queue, without the stack's name."""
    _, _, path = queue.node.path.partition("/")
    return path


def _row(graphs: _Graphs) -> Row:
    return [_graph(title, shown, _FULL_WIDTH // len(graphs)) for title, shown in graphs.items()]


def _graph(title: str, metrics: Mapping[str, cloudwatch.Metric] | Counts, width: int) -> Widget:
    if isinstance(metrics, Counts):
        return metrics.drawn(title, width)
    left = [metric.with_(label=label) for label, metric in metrics.items()]
    return cloudwatch.GraphWidget(title=title, left=left, width=width)
