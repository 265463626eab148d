"""How the changes of tables reach a function: the streams' mappings, and the bucket for batches that it gave up on."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.names import FAILURES
from andon.cdk.owned_table import OwnedTable
from andon.cdk.target import Target

BY: Final = "userIdentity"

# Filters are alternatives; a mapping may have five.
# https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
CHANGED: Final = (
    {"eventName": ["INSERT", "MODIFY"]},
    # Not the removal of a row that expired: that is nobody's deletion.
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    {"eventName": ["REMOVE"], BY: {"principalId": [{"exists": False}]}},
)
NOTHING: Final = ({"eventName": ["NONE"]},)  # no change is called so


class StreamMapping(lambda_.CfnEventSourceMapping):
    """What brings the changes of a table to a function, and counts those that it gave up on.

    Not the L2 construct: it grants the whole bucket for its S3 destination.
    """

    def __init__(self, table: OwnedTable, function: Function, **settings: Any) -> None:  # noqa: ANN401  CDK's
        self.function = function
        super().__init__(
            table,
            "Changes",
            function_name=function.called.function_arn,
            event_source_arn=table.grant_follow(function),
            metrics_config=self.MetricsConfigProperty(metrics=["EventCount"]),
            **settings,
        )


def failure_store(scope: Construct, function: Function) -> s3.Bucket:
    """Create the bucket in which Lambda keeps the batches that a function gave up on, whole."""
    # S3: a queue or a topic would get only pointers into a stream that forgets within a day.
    failures = private_bucket(scope, "Failures", unlogged=nag.FEW_READS)
    function.grant(["s3:ListBucket"], [failures.bucket_arn])
    function.grant(["s3:PutObject"], [failures.arn_for_objects(f"{FAILURES}/*")])
    nag.acknowledge_wildcard(function, f"<{nag.logical_id(failures)}.Arn>/{FAILURES}/*", nag.FAILURE_KEYS)
    return failures


def follow(
    table: OwnedTable,
    function: Function,
    failures: s3.Bucket,
    filters: Iterable[Mapping[str, object]],
    *,
    within_seconds: int | None = None,
) -> None:
    """Bring the changes of a table to a function; what it cannot take within a time is kept by `failures`.

    within_seconds: at most what the target says, which is also the default.
    """
    target = Target.of(table)
    mapping = StreamMapping
    chosen = filters if target.filters_expiries else map(_whoever_did_it, filters)
    patterns = [mapping.FilterProperty(pattern=json.dumps(pattern)) for pattern in chosen]
    longest = target.record_age_seconds
    size, window_seconds = target.stream_batch
    mapping(
        table,
        function,
        starting_position="TRIM_HORIZON",
        batch_size=size,
        maximum_batching_window_in_seconds=window_seconds or None,
        maximum_retry_attempts=-1,
        maximum_record_age_in_seconds=min(within_seconds or longest, longest),
        bisect_batch_on_function_error=True,
        destination_config=mapping.DestinationConfigProperty(
            on_failure=mapping.OnFailureProperty(destination=failures.bucket_arn)
        ),
        filter_criteria=mapping.FilterCriteriaProperty(filters=patterns),
    )


def _whoever_did_it(pattern: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in pattern.items() if name != BY}
