"""Samples of metrics from log lines, and their statistics over a window of time. Pure.

Each number in a line is a sample. A line in CloudWatch's embedded metric format names some that are metrics, too, in
`_aws`. A line of an HTTP request says `status` and `ms`, from which the API's own metrics follow: `Latency` lacks the
way to the function.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from andon.runtime.json_types import JsonMapping
from andon.tools.console.widgets import Metric, Statistic, logged
from andon.tools.percentile import percentile

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
