"""The dashboard of the running system, on AWS; `make console` draws it on this machine.

A widget's title is `<subject>: <measure>`. The console makes one table of the widgets of a measure: a row for each
subject, a column for each label.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import IConstruct

from andon.cdk.api import Api
from andon.cdk.function import Function
from andon.cdk.operations.metrics import MINUTE, iterator_age, of_api, of_listener, of_service, of_view, oldest, waiting
from andon.cdk.queues import LastResort, Reader
from andon.views.outcome import Outcome

FULL_WIDTH: Final = 24

PUBLISHED: Final = ("records", "published", "fault")
"""The metrics of a trigger."""

DECISIONS: Final = ("due", "failed", "left", "unknown", "decided", "stands", "late", "flooded", "fault")
"""The metrics of a control service."""

OUTCOMES: Final = ("received", *Outcome, "put_back")
"""The metrics of a listener; what is put back is among what failed, and comes again without its group."""

RECOMPUTED: Final = ("rows", "drift", "repaired", "doubtful")
"""The metrics of a view's comparison with its events."""

Row = list[cloudwatch.GraphWidget]
Graphs = Mapping[str, Mapping[str, cloudwatch.Metric]]
"""Title -> label -> metric."""


def draw(root: Stack, found: Sequence[IConstruct], parts: Iterable[Row]) -> None:
    """Create the dashboard in the root stack, which may refer to all others: a row for each part of the flow."""
    functions = [one for one in found if isinstance(one, Function)]
    rows = [_of_api(one) for one in found if isinstance(one, Api)]
    rows += parts
    rows += [_of_trigger(one) for one in functions if one.role == "trigger"]
    rows += [_of_sweep(one) for one in functions if one.role == "sweep" and one.package.side == "services"]
    rows += [_of_recompute(one) for one in functions if one.role == "recompute"]
    dead = {_place_of(one): waiting(one) for one in found if isinstance(one, LastResort)}
    cloudwatch.Dashboard(root, "Dashboard", widgets=[*rows, _row({"Messages that wait for a person": dead})])


def _of_api(api: Api) -> Row:
    counts = {name: of_api(api, name) for name in ("Count", "4xx", "5xx")}
    latency = {share: of_api(api, "Latency", share) for share in ("p50", "p99")}
    return _row({"HTTP: requests and refusals": counts, "HTTP: latency (ms)": latency})


def of_reader(reader: Reader) -> Row:
    """Return the outcomes of a listener's events, their lag, and its queue."""
    lag = {share: of_listener(reader, "lag", share) for share in ("p50", "p99")}
    return _row({**_outcomes(reader), f"{reader.name}: from the bus to the row (ms)": lag, **_queue(reader)})


def of_crossing(source: str, reader: Reader) -> Row:
    """Return the edits that cross into a service from another version of it, and their lag."""
    way = f"{source} to {reader.name}"
    lag = {share: of_listener(reader, f"{source}.lag", share) for share in ("p50", "p99")}
    crossed = {"crossed": "applied", "overtaken": "overtaken"}
    counts = {label: of_listener(reader, f"{source}.{name}", "Sum") for label, name in crossed.items()}
    return _row({f"{way}: what became of edits": counts, f"{way}: from the bus to the other side (ms)": lag})


def of_lake(reader: Reader) -> Row:
    """Return the outcomes of the lake's events, and its queue."""
    return _row({**_outcomes(reader), **_queue(reader)})


def of_queue(reader: Reader) -> Row:
    """Return the row of a listener's queue."""
    return _row(_queue(reader))


def _of_trigger(trigger: Function) -> Row:
    name = trigger.package.name
    published = {counted: of_service(trigger, counted) for counted in PUBLISHED}
    age = {"age": iterator_age(trigger)}
    return _row({f"{name}: what was published": published, f"{name}: age of the last change read (ms)": age})


def _of_sweep(sweep: Function) -> Row:
    name = sweep.package.name
    decided = {counted: of_service(sweep, counted) for counted in DECISIONS}
    oldest_left = {"oldest": of_service(sweep, "oldest", "Maximum")}
    return _row({f"{name}: what was decided": decided, f"{name}: delay of what was left (ms)": oldest_left})


def _of_recompute(recompute: Function) -> Row:
    name = recompute.package.name
    return _row({f"{name}: what drifted": {counted: of_view(recompute, counted) for counted in RECOMPUTED}})


def _outcomes(reader: Reader) -> Graphs:
    outcomes = {name: of_listener(reader, name, "Sum") for name in OUTCOMES}
    return {f"{reader.name}: what became of events": outcomes}


def _queue(reader: Reader) -> Graphs:
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


def _row(graphs: Graphs) -> Row:
    return [_graph(title, metrics, FULL_WIDTH // len(graphs)) for title, metrics in graphs.items()]


def _graph(title: str, metrics: Mapping[str, cloudwatch.Metric], width: int) -> cloudwatch.GraphWidget:
    left = [metric.with_(label=label) for label, metric in metrics.items()]
    return cloudwatch.GraphWidget(title=title, left=left, width=width)
