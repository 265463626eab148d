"""The metrics that alarms and the dashboard look at."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.api import THROTTLED, Api
from infra.function import METRICS, Function
from infra.queues import LastResort, Reader
from infra.target import Target
from patterns.runtime.metrics import STAGE

MINUTE: Final = Duration.minutes(1)


def of_reader(reader: Reader, name: str, statistic: str) -> cloudwatch.Metric:
    """Return a metric that a listener writes."""
    return _own(reader.listener, {"view": reader.name}, name, statistic)


def of_view(recompute: Function, name: str) -> cloudwatch.Metric:
    """Return a metric of what a view is compared with."""
    return _own(recompute, {"view": recompute.package.name}, name, "Sum")


def of_service(function: Function, name: str) -> cloudwatch.Metric:
    """Return a metric that a trigger or a sweep writes."""
    return _own(function, {"service": function.package.name}, name, "Sum")


def of_api(api: Api, name: str) -> cloudwatch.Metric:
    """Return a metric of the HTTP API."""
    return api.http.metric(name, period=MINUTE, statistic="Sum")


def throttled(api: Api) -> cloudwatch.Metric:
    """Return how many requests got 429: it is counted from the access log."""
    by = {STAGE: Target.of(api).stage}
    return cloudwatch.Metric(
        namespace=METRICS, metric_name=THROTTLED, dimensions_map=by, statistic="Sum", period=MINUTE
    )


def waiting(queue: LastResort) -> cloudwatch.Metric:
    """Return how many messages wait for a person."""
    return queue.metric_approximate_number_of_messages_visible(period=MINUTE, statistic="Maximum")


def oldest(reader: Reader) -> cloudwatch.Metric:
    """Return how many seconds the oldest message waits."""
    return reader.queue.metric_approximate_age_of_oldest_message(period=MINUTE, statistic="Maximum")


def iterator_age(trigger: Function) -> cloudwatch.Metric:
    """Return how many milliseconds old the last change was that a trigger read."""
    return trigger.handler.metric("IteratorAge", period=MINUTE, statistic="Maximum")


def _own(function: Function, dimension: Mapping[str, str], name: str, statistic: str) -> cloudwatch.Metric:
    by = {**dimension, STAGE: Target.of(function).stage}
    return cloudwatch.Metric(namespace=METRICS, metric_name=name, dimensions_map=by, statistic=statistic, period=MINUTE)
