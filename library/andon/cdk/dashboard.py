"""What is shown of the running system: one dashboard on AWS, and what `make console` draws on this machine.

A widget's title is `<subject>: <what>`. The console makes one table of the widgets that show the same: a row for each
subject, a column for each label.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import IConstruct

from andon.cdk.api import Api
from andon.cdk.archive import Archive
from andon.cdk.fault_store import FaultStore
from andon.cdk.function import Function
from andon.cdk.lake import Lake
from andon.cdk.metrics import MINUTE, iterator_age, of_api, of_reader, of_service, of_view, oldest, waiting
from andon.cdk.queues import LastResort, Reader
from andon.cdk.service import Service
from andon.cdk.view import View
from andon.views.outcome import Outcome

FULL_WIDTH: Final = 24

PUBLISHED: Final = ("records", "published", "fault")
"""The metrics of a trigger."""

DECISIONS: Final = ("due", "failed", "left", "unknown", "decided", "stands", "late", "flooded", "fault")
"""The metrics of a control service."""

RECOMPUTED: Final = ("rows", "drift", "repaired", "doubtful")
"""The metrics of what compares a view with its events."""

Row = list[cloudwatch.GraphWidget]
Graphs = Mapping[str, Mapping[str, cloudwatch.Metric]]
"""Title -> label -> metric."""


def widgets(found: Sequence[IConstruct]) -> list[Row]:
    """Return the rows of the dashboard: one for each part of the flow, and one for what waits for a person."""
    functions = [one for one in found if isinstance(one, Function)]
    rows = [_of_api(one) for one in found if isinstance(one, Api)]
    rows += [_of_reader(one.reader) for one in found if isinstance(one, View | FaultStore | Service) and one.reader]
    rows += [row for one in found if isinstance(one, Service) and one.reader for row in _of_crossings(one, one.reader)]
    rows += [_of_lake(one.reader) for one in found if isinstance(one, Lake)]
    rows += [_row(_queue(one.reader)) for one in found if isinstance(one, Archive)]
    rows += [_of_trigger(one) for one in functions if one.role == "trigger"]
    rows += [_of_sweep(one) for one in functions if one.role == "sweep" and one.package.side == "services"]
    rows += [_of_recompute(one) for one in functions if one.role == "recompute"]
    dead = {_place_of(one): waiting(one) for one in found if isinstance(one, LastResort)}
    return [*rows, _row({"Messages that wait for a person": dead})]


def _of_api(api: Api) -> Row:
    counts = {name: of_api(api, name) for name in ("Count", "4xx", "5xx")}
    latency = {share: of_api(api, "Latency", share) for share in ("p50", "p99")}
    return _row({"HTTP: requests and refusals": counts, "HTTP: latency (ms)": latency})


def _of_reader(reader: Reader) -> Row:
    lag = {share: of_reader(reader, "lag", share) for share in ("p50", "p99")}
    return _row({**_outcomes(reader), f"{reader.name}: from the bus to the row (ms)": lag, **_queue(reader)})


def _of_crossings(service: Service, reader: Reader) -> list[Row]:
    return [_of_crossing(source, reader) for source in service.versions]


def _of_crossing(source: str, reader: Reader) -> Row:
    """Return what is shown of the edits that cross into a service from another version of it."""
    way = f"{source} to {reader.name}"
    lag = {share: of_reader(reader, f"{source}.lag", share) for share in ("p50", "p99")}
    crossed = {"crossed": "applied", "overtaken": "overtaken"}
    counts = {label: of_reader(reader, f"{source}.{name}", "Sum") for label, name in crossed.items()}
    return _row({f"{way}: what became of edits": counts, f"{way}: from the bus to the other side (ms)": lag})


def _of_lake(reader: Reader) -> Row:
    return _row({**_outcomes(reader), **_queue(reader)})


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
    outcomes = {name: of_reader(reader, name, "Sum") for name in ("received", *Outcome)}
    return {f"{reader.name}: what became of events": outcomes}


def _queue(reader: Reader) -> Graphs:
    """Return how many messages wait, how many are being worked on, and how many seconds the oldest waits."""
    queue = reader.queue
    waits = {
        "waiting": queue.metric_approximate_number_of_messages_visible(period=MINUTE, statistic="Maximum"),
        "in work": queue.metric_approximate_number_of_messages_not_visible(period=MINUTE, statistic="Maximum"),
        "oldest (s)": oldest(reader),
    }
    return {f"{reader.name}: its queue": waits}


def _place_of(queue: LastResort) -> str:
    """Return where a dead-letter queue stands, without the stack's name."""
    _, _, path = queue.node.path.partition("/")
    return path


def _row(graphs: Graphs) -> Row:
    return [_graph(title, metrics, FULL_WIDTH // len(graphs)) for title, metrics in graphs.items()]


def _graph(title: str, metrics: Mapping[str, cloudwatch.Metric], width: int) -> cloudwatch.GraphWidget:
    left = [metric.with_(label=label) for label, metric in metrics.items()]
    return cloudwatch.GraphWidget(title=title, left=left, width=width)
