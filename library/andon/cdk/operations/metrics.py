"""The metrics of signals and of the dashboard: each a function of the watched thing.

AWS's own are described at https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/aws-services-cloudwatch-metrics.html
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import IConstruct

from andon.cdk.api import THROTTLED, Api
from andon.cdk.changes import StreamMapping
from andon.cdk.function import Function
from andon.cdk.owned_table import OwnedTable
from andon.cdk.queues import LastResort, Reader
from andon.cdk.replica import LAKE_COPY, RULE, name_of_copy
from andon.cdk.target import Target
from andon.runtime.log import STAGE
from andon.wire import aws

MINUTE: Final = Duration.minutes(1)
HOUR: Final = Duration.hours(1)


class Indexed(NamedTuple):
    """A table's index, by its name."""

    table: OwnedTable
    name: str


# Those that our functions write, by a dimension of their own and the stage.


def of_listener(name: str) -> Callable[[Reader], cloudwatch.Metric]:
    """Return a metric that a listener writes."""
    return lambda it: _ours(it.listener, name, view=it.name)


def of_view(name: str) -> Callable[[Function], cloudwatch.Metric]:
    """Return a metric of the comparison of a view with its events."""
    return lambda it: _ours(it, name, view=it.package.name)


def of_service(name: str, statistic: str = "Sum") -> Callable[[Function], cloudwatch.Metric]:
    """Return a metric that a function of a service writes."""
    return lambda it: _ours(it, name, statistic, service=it.package.name)


def of_readers(scope: IConstruct, name: str, statistic: str) -> cloudwatch.Metric:
    """Return a metric that all listeners write together."""
    return _ours(scope, name, statistic)


def fell_back(scope: IConstruct) -> cloudwatch.Metric:
    """Return the number of times that a worker began without libcurl's wire, see `andon/wire/aws.py`."""
    return _ours(scope, aws.FELL_BACK, **{aws.WIRE: aws.BOTOCORE})


def throttled(api: Api) -> cloudwatch.Metric:
    """Return the number of 429 responses, counted from the access log."""
    return _ours(api, THROTTLED)


def _ours(scope: IConstruct, name: str, statistic: str = "Sum", /, **by: str) -> cloudwatch.Metric:
    target = Target.of(scope)
    return _metric(target.project.name, name, {**by, STAGE: target.stage.name}, statistic)


def _metric(
    space: str, name: str, by: Mapping[str, str], statistic: str = "Sum", period: Duration = MINUTE
) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace=space, metric_name=name, dimensions_map={**by}, statistic=statistic, period=period
    )


# Those of AWS.


def of_api(name: str, statistic: str = "Sum") -> Callable[[Api], cloudwatch.Metric]:
    """Return a metric of the HTTP API: `Count`, `4xx`, `5xx` or `Latency`.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    """
    return lambda it: it.http.metric(name, period=MINUTE, statistic=statistic)


def bounced(_: object) -> cloudwatch.Metric:
    """Return the share of the account's mail that came back.

    https://docs.aws.amazon.com/ses/latest/dg/reputationdashboard-cloudwatch-alarm.html
    """
    return _metric("AWS/SES", "Reputation.BounceRate", {}, "Maximum", HOUR)


def sms_failed(_: object) -> cloudwatch.Metric:
    """Return the number of SMS that SNS took, and that reached nobody.

    https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
    """
    return _metric("AWS/SNS", "NumberOfNotificationsFailed", {"PhoneNumber": "PhoneNumberDirect"}, period=HOUR)


def errors(function: Function) -> cloudwatch.Metric:
    """Return the number of times that a function raised, or was ended by its timeout."""
    return function.handler.metric_errors(period=MINUTE)


def runs(function: Function) -> cloudwatch.Metric:
    """Return the number of times that a function ran; Lambda counts none in a minute without one."""
    return function.handler.metric_invocations(period=MINUTE)


def dropped_calls(function: Function) -> cloudwatch.Metric:
    """Return the calls by a schedule that failed, or were not made in time; without retries each failure is one."""
    return function.handler.metric("AsyncEventsDropped", period=MINUTE, statistic="Sum")


def iterator_age(function: Function) -> cloudwatch.Metric:
    """Return the age, in milliseconds, of the last change that a function read from a stream."""
    return function.handler.metric("IteratorAge", period=MINUTE, statistic="Maximum")


def throttled_functions(_: object) -> cloudwatch.Metric:
    """Return the calls of all functions of the account that failed for want of concurrency, which they share."""
    return lambda_.Function.metric_all_throttles(period=MINUTE)


def sent(reader: Reader) -> cloudwatch.Metric:
    """Return the number of messages that came into a queue."""
    return reader.queue.metric_number_of_messages_sent(period=MINUTE, statistic="Sum")


def oldest(reader: Reader) -> cloudwatch.Metric:
    """Return the seconds that the oldest message waits."""
    return reader.queue.metric_approximate_age_of_oldest_message(period=MINUTE, statistic="Maximum")


def waiting(queue: LastResort) -> cloudwatch.Metric:
    """Return the number of messages that wait for a person."""
    return queue.metric_approximate_number_of_messages_visible(period=MINUTE, statistic="Maximum")


def of_mapping(name: str) -> Callable[[StreamMapping], cloudwatch.Metric]:
    """Return a metric of a stream's mapping, in number of changes.

    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics
    """
    return lambda it: _metric("AWS/Lambda", name, {"EventSourceMappingUUID": it.ref})


def throttled_writes(table: OwnedTable) -> cloudwatch.Metric:
    """Return the writes that a table refused for now; they do not count those of its indexes.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
    """
    return _metric("AWS/DynamoDB", "WriteThrottleEvents", {"TableName": table.table_name})


def throttled_index(it: Indexed) -> cloudwatch.Metric:
    """Return the writes that an index refused for now."""
    by = {"TableName": it.table.table_name, "GlobalSecondaryIndexName": it.name}
    return _metric("AWS/DynamoDB", "WriteThrottleEvents", by)


def of_copy(name: str, statistic: str) -> Callable[[s3.Bucket], cloudwatch.Metric]:
    """Return a metric of S3 about the lake's replication.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-dimensions.html
    """

    def metric(lake: s3.Bucket) -> cloudwatch.Metric:
        copy = name_of_copy(Target.of(lake), LAKE_COPY)
        by = {"SourceBucket": lake.bucket_name, "DestinationBucket": copy, "RuleId": RULE}
        return _metric("AWS/S3", name, by, statistic)

    return metric
