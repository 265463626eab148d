"""The metrics that alarms and the dashboard look at."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import IConstruct

from andon.cdk.api import THROTTLED, Api
from andon.cdk.changes import StreamMapping
from andon.cdk.function import Function
from andon.cdk.owned_table import OwnedTable
from andon.cdk.queues import LastResort, Reader
from andon.cdk.replica import RULE
from andon.cdk.target import Target
from andon.runtime.log import STAGE
from andon.wire import aws

MINUTE: Final = Duration.minutes(1)


def of_listener(reader: Reader, name: str) -> cloudwatch.Metric:
    """Return a metric that a listener writes."""
    return _of_stage(reader.listener, {"view": reader.name}, name, "Sum")


def of_readers(scope: IConstruct, name: str, statistic: str) -> cloudwatch.Metric:
    """Return a metric that all listeners write together."""
    return _of_stage(scope, {}, name, statistic)


def of_view(recompute: Function, name: str) -> cloudwatch.Metric:
    """Return a metric of the comparison of a view with its events."""
    return _of_stage(recompute, {"view": recompute.package.name}, name, "Sum")


def of_service(function: Function, name: str, statistic: str = "Sum") -> cloudwatch.Metric:
    """Return a metric that a trigger or a sweep writes."""
    return _of_stage(function, {"service": function.package.name}, name, statistic)


def fell_back(scope: IConstruct) -> cloudwatch.Metric:
    """Return the number of times that a worker began without libcurl's wire, see `andon/wire/aws.py`."""
    return _of_stage(scope, {aws.WIRE: aws.BOTOCORE}, aws.FELL_BACK, "Sum")


def of_api(api: Api, name: str, statistic: str = "Sum") -> cloudwatch.Metric:
    """Return a metric of the HTTP API: `Count`, `4xx`, `5xx` or `Latency`.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    """
    return api.http.metric(name, period=MINUTE, statistic=statistic)


def bounced() -> cloudwatch.Metric:
    """Return the share of the account's mail that came back.

    https://docs.aws.amazon.com/ses/latest/dg/reputationdashboard-cloudwatch-alarm.html
    """
    return cloudwatch.Metric(
        namespace="AWS/SES", metric_name="Reputation.BounceRate", statistic="Maximum", period=Duration.hours(1)
    )


def sms_failed() -> cloudwatch.Metric:
    """Return the number of SMS that SNS took, and that reached nobody.

    https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
    """
    direct = {"PhoneNumber": "PhoneNumberDirect"}
    name = "NumberOfNotificationsFailed"
    return cloudwatch.Metric(
        namespace="AWS/SNS", metric_name=name, dimensions_map=direct, statistic="Sum", period=Duration.hours(1)
    )


def errors(function: Function) -> cloudwatch.Metric:
    """Return the number of times that a function raised, or was ended by its timeout."""
    return function.handler.metric_errors(period=MINUTE)


def runs(function: Function) -> cloudwatch.Metric:
    """Return the number of times that a function ran; Lambda counts none in a minute without one."""
    return function.handler.metric_invocations(period=MINUTE)


def sent(queue: sqs.IQueue) -> cloudwatch.Metric:
    """Return the number of messages that came into a queue."""
    return queue.metric_number_of_messages_sent(period=MINUTE, statistic="Sum")


def throttled_functions() -> cloudwatch.Metric:
    """Return the calls of all functions of the account that failed for want of concurrency, which they share."""
    return lambda_.Function.metric_all_throttles(period=MINUTE)


def dropped_calls(function: Function) -> cloudwatch.Metric:
    """Return the calls by a schedule that failed, or were not made in time; without retries each failure is one."""
    return function.handler.metric("AsyncEventsDropped", period=MINUTE, statistic="Sum")


def of_mapping(mapping: StreamMapping, name: str) -> cloudwatch.Metric:
    """Return a metric of a stream's mapping, in number of changes.

    https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html#event-source-mapping-metrics
    """
    by = {"EventSourceMappingUUID": mapping.ref}
    return cloudwatch.Metric(
        namespace="AWS/Lambda", metric_name=name, dimensions_map=by, statistic="Sum", period=MINUTE
    )


def throttled_writes(table: OwnedTable, index: str | None = None) -> cloudwatch.Metric:
    """Return the writes that a table, or one of its indexes, refused for now; the table's do not count the indexes'.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
    """
    by = {"TableName": table.table_name, **({"GlobalSecondaryIndexName": index} if index else {})}
    return cloudwatch.Metric(
        namespace="AWS/DynamoDB", metric_name="WriteThrottleEvents", dimensions_map=by, statistic="Sum", period=MINUTE
    )


def throttled(api: Api) -> cloudwatch.Metric:
    """Return the number of 429 responses, counted from the access log."""
    return _of_stage(api, {}, THROTTLED, "Sum")


def waiting(queue: LastResort) -> cloudwatch.Metric:
    """Return the number of messages that wait for a person."""
    return queue.metric_approximate_number_of_messages_visible(period=MINUTE, statistic="Maximum")


def oldest(reader: Reader) -> cloudwatch.Metric:
    """Return the seconds that the oldest message waits."""
    return reader.queue.metric_approximate_age_of_oldest_message(period=MINUTE, statistic="Maximum")


def of_copy(bucket: str, copy: str, name: str, statistic: str) -> cloudwatch.Metric:
    """Return a metric of S3 about a bucket's replication.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-dimensions.html
    """
    between = {"SourceBucket": bucket, "DestinationBucket": copy, "RuleId": RULE}
    return cloudwatch.Metric(
        namespace="AWS/S3", metric_name=name, dimensions_map=between, statistic=statistic, period=MINUTE
    )


def iterator_age(trigger: Function) -> cloudwatch.Metric:
    """Return the age, in milliseconds, of the last change that a trigger read."""
    return trigger.handler.metric("IteratorAge", period=MINUTE, statistic="Maximum")


def _of_stage(scope: IConstruct, dimension: Mapping[str, str], name: str, statistic: str) -> cloudwatch.Metric:
    target = Target.of(scope)
    return cloudwatch.Metric(
        namespace=target.project.name,
        metric_name=name,
        dimensions_map={**dimension, STAGE: target.stage},
        statistic=statistic,
        period=MINUTE,
    )
