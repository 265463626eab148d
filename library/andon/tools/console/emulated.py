"""The metrics of the running stack, read from the emulator, which keeps no metrics of its own.

What functions write into their log lines is read from the logs, and queues are asked how much is in them now.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from andon.runtime.json_types import JsonMapping
from andon.tools.console.widgets import Metric, Statistic, WidgetTable, logged, tables_of, widgets_of
from andon.tools.percentile import percentile
from andon.tools.stack import aws

# Samples of metrics from log lines, and their statistics over a window of time. Pure.
#
# Each number in a line is a sample. A line in CloudWatch's embedded metric format names some that are metrics, too,
# in `_aws`. A line of an HTTP request says `status` and `ms`, from which the API's own metrics follow: `Latency`
# lacks the way to the function.

API: Final = "AWS/ApiGateway"
REFUSED, FAILED = 400, 500


class Sample(NamedTuple):
    """A figure of a metric at a time, in epoch milliseconds."""

    metric: Metric
    at_ms: int
    value: float


class Samples:
    """The samples of each metric."""

    def __init__(self) -> None:
        self._of: dict[Metric, list[Sample]] = defaultdict(list)

    def add(self, samples: Iterable[Sample]) -> None:
        """Add samples, of whatever times."""
        for sample in samples:
            self._of[sample.metric].append(sample)

    def forget(self, *, before_ms: int) -> None:
        """Drop what is older."""
        for metric, samples in self._of.items():
            self._of[metric] = [sample for sample in samples if sample.at_ms >= before_ms]

    def statistic(self, shown: Statistic, *, since_ms: int) -> float | None:
        """Return the statistic of the samples since then; None: there is no sample, and it is no sum."""
        return statistic(self._values(shown.metric, since_ms), shown.statistic)

    def trend(self, metric: Metric, *, since_ms: int, until_ms: int, parts: int) -> list[float]:
        """Return the sums of equal parts of the time from `since_ms` to `until_ms`, `until_ms` excluded."""
        sums = [0.0] * parts
        for sample in self._of[metric]:
            if since_ms <= sample.at_ms < until_ms:
                sums[(sample.at_ms - since_ms) * parts // (until_ms - since_ms)] += sample.value
        return sums

    def per_second(self, metric: Metric, *, since_ms: int, until_ms: int) -> float:
        """Return the rate of the metric per second."""
        [total] = self.trend(metric, since_ms=since_ms, until_ms=until_ms, parts=1)
        return total / (until_ms - since_ms) * 1000

    def _values(self, metric: Metric, since_ms: int) -> list[float]:
        return [sample.value for sample in self._of[metric] if sample.at_ms >= since_ms]


def statistic(values: Sequence[float], name: str) -> float | None:
    """Return the `Sum`, the `Maximum` or a percentile (`p99`) of values; without any the sum is 0, the others None."""
    if name == "Sum":
        return sum(values)
    if not values:
        return None
    return max(values) if name == "Maximum" else percentile(values, float(name.removeprefix("p")) / 100)


def samples_of(line: JsonMapping, *, log_group: str, logged_ms: int) -> Iterator[Sample]:
    """Yield the samples of a log line; `logged_ms` is when it was logged."""
    numbers = (
        (name, value) for name, value in line.items() if isinstance(value, int | float) and not isinstance(value, bool)
    )
    yield from (Sample(logged(name, log_group), logged_ms, value) for name, value in numbers)
    if "_aws" in line:
        yield from _embedded(line)
    elif isinstance(status := line.get("status"), int):
        if isinstance(took_ms := line.get("ms"), int | float):
            yield Sample(Metric(API, "Latency"), logged_ms, took_ms)
        counted = {"Count": True, "4xx": REFUSED <= status < FAILED, "5xx": status >= FAILED}
        yield from (Sample(Metric(API, name), logged_ms, 1) for name, is_one in counted.items() if is_one)


def _embedded(line: JsonMapping) -> Iterator[Sample]:
    """Yield the samples that `_aws` names.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
    """
    at_ms = line["_aws"]["Timestamp"]
    for directive in line["_aws"]["CloudWatchMetrics"]:
        for names in directive["Dimensions"]:
            dimensions = tuple(sorted((name, line[name]) for name in names))
            for named in directive["Metrics"]:
                metric = Metric(directive["Namespace"], named["Name"], dimensions)
                yield from (Sample(metric, at_ms, value) for value in _values_in(line[named["Name"]]))


def _values_in(member: float | list[float]) -> list[float]:
    return member if isinstance(member, list) else [member]


# An upper bound for the age of a queue's oldest message, from looking at it now and then. Pure.
#
# The emulator does not say how old the oldest message is.


@dataclass(slots=True)
class QueueWatch:
    """When each queue was last seen empty, in epoch milliseconds."""

    empty_ms: dict[str, int] = field(default_factory=dict)

    def look(self, messages: Mapping[str, int], *, now_ms: int) -> None:
        """Note which queues are empty; `messages` is how many wait or are being worked on, by the queue's name."""
        self.empty_ms |= {queue: now_ms for queue, count in messages.items() if not count}

    def oldest_s(self, queue: str, *, now_ms: int) -> float | None:
        """Return an upper bound of the oldest message's age in seconds; None: the queue was never seen empty."""
        return (now_ms - self.empty_ms[queue]) / 1000 if queue in self.empty_ms else None


WINDOW_MS: Final = 5 * 60_000
_OVERLAP_MS: Final = 10_000  # lines come in some time after they were written
LINES: Final = '"function_request_id"'  # those with metrics, and those of HTTP requests

QUEUE: Final = "AWS/SQS"
WAITING, IN_WORK = "ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"
OLDEST: Final = "ApproximateAgeOfOldestMessage"


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSnapshot:
    """A snapshot of a stack at a time, in epoch milliseconds. queues: the attributes of each queue, by its name."""

    at_ms: int
    window_ms: int
    tables: tuple[WidgetTable, ...]
    samples: Samples
    queues: Mapping[str, Mapping[str, int]]
    watch: QueueWatch

    def value(self, shown: Statistic) -> float | None:
        """Return the statistic of a metric: over the window, of queues now; None: unknown."""
        metric = shown.metric
        if metric.namespace != QUEUE:
            return self.samples.statistic(
                Statistic(known(metric), shown.statistic), since_ms=self.at_ms - self.window_ms
            )
        if metric.name == OLDEST:
            return self.watch.oldest_s(metric.about, now_ms=self.at_ms)
        is_waiting = metric.name.endswith("MessagesVisible")
        return self.queues.get(metric.about, {}).get(WAITING if is_waiting else IN_WORK)

    def trend(self, metric: Metric, *, parts: int) -> list[float]:
        """Return the sums of a metric in equal parts of the window, the latest last."""
        since_ms = self.at_ms - self.window_ms
        return self.samples.trend(known(metric), since_ms=since_ms, until_ms=self.at_ms, parts=parts)

    def per_second(self, metric: Metric, *, seconds: int) -> float:
        """Return the rate of a metric per second, over the last `seconds`."""
        since_ms = self.at_ms - seconds * 1000
        return self.samples.per_second(known(metric), since_ms=since_ms, until_ms=self.at_ms)


def _queues_in(tables: Iterable[WidgetTable]) -> set[str]:
    """Return the names of the queues that tables show."""
    shown = (one for table in tables for row in table.rows for one in row.shown.values())
    return {one.metric.about for one in shown if one.metric.namespace == QUEUE}


def known(metric: Metric) -> Metric:
    """Return a metric as it stands in log lines: those of HTTP requests do not name the API."""
    return metric._replace(dimensions=()) if metric.namespace == API else metric


@dataclass(slots=True)
class EmulatedStack:
    """Reads one deployed stack; `queue_urls` has the queues that are shown, by name."""

    logs: Any
    sqs: Any
    tables: tuple[WidgetTable, ...]
    queue_urls: Mapping[str, str]
    _samples: Samples = field(default_factory=Samples)
    _watch: QueueWatch = field(default_factory=QueueWatch)
    _seen: dict[str, int] = field(default_factory=dict)
    _read_ms: int = 0

    @classmethod
    def of(cls, deployed: Mapping[str, str]) -> "EmulatedStack":
        """Find the dashboard of the stack with these outputs."""
        endpoint = deployed["Endpoint"]
        cloudwatch = aws.client("cloudwatch", endpoint)
        names = [one["DashboardName"] for one in cloudwatch.list_dashboards()["DashboardEntries"]]
        bodies = [cloudwatch.get_dashboard(DashboardName=name)["DashboardBody"] for name in names]
        tables = tuple(tables_of(widget for body in bodies for widget in widgets_of(body)))
        sqs = aws.client("sqs", endpoint)
        urls = {name: sqs.get_queue_url(QueueName=name)["QueueUrl"] for name in _queues_in(tables)}
        return cls(aws.client("logs", endpoint), sqs, tables, urls)

    def read(self, now_ms: int) -> StackSnapshot:
        """Read what is new, and forget what has left the window."""
        oldest_ms = now_ms - WINDOW_MS
        self._read_logs(since_ms=max(oldest_ms, self._read_ms - _OVERLAP_MS))
        self._samples.forget(before_ms=oldest_ms)
        self._seen = {line: at_ms for line, at_ms in self._seen.items() if at_ms >= now_ms - 2 * _OVERLAP_MS}
        self._read_ms = now_ms
        queues = {name: self._attributes(url) for name, url in self.queue_urls.items()}
        self._watch.look({name: sum(counts.values()) for name, counts in queues.items()}, now_ms=now_ms)
        return StackSnapshot(
            at_ms=now_ms,
            window_ms=WINDOW_MS,
            tables=self.tables,
            samples=self._samples,
            queues=queues,
            watch=self._watch,
        )

    def _read_logs(self, *, since_ms: int) -> None:
        for page in self.logs.get_paginator("describe_log_groups").paginate():
            for group in page["logGroups"]:
                name = group["logGroupName"]
                found = self.logs.filter_log_events(logGroupName=name, filterPattern=LINES, startTime=since_ms)
                for event in found["events"]:
                    self._read_line(event["message"], name, event["timestamp"])

    def _read_line(self, text: str, log_group: str, logged_ms: int) -> None:
        if text in self._seen or not text.startswith("{"):
            return
        self._seen[text] = logged_ms  # a line names its invocation: no two are the same
        self._samples.add(samples_of(json.loads(text), log_group=log_group, logged_ms=logged_ms))

    def _attributes(self, url: str) -> dict[str, int]:
        found = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[WAITING, IN_WORK])["Attributes"]
        return {attribute: int(count) for attribute, count in found.items()}
