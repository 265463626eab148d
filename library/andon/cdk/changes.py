"""The way of tables' changes to a function: the streams' mappings, and the bucket for batches that it gave up on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.buckets import FORGETS_DAYS, WRITE, allow_below, private_bucket
from andon.cdk.function import Function
from andon.cdk.names import FAILURES
from andon.cdk.owned_table import OwnedTable
from andon.cdk.target import Target
from andon.dynamodb.ttl import EXPIRE
from andon.events import latch

Pattern = Mapping[str, Any]
"""A condition on a record: nested as the record is, with alternatives at its leaves."""

NEW: Final = ("INSERT", "MODIFY")
ABSENT: Final = {"exists": False}
_NOT_BY_TTL: Final = {"userIdentity": {"principalId": [ABSENT]}}

# Filters are alternatives; a mapping may have five.
# https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
CHANGED: Final[tuple[Pattern, ...]] = (
    {"eventName": [*NEW]},
    # Not the removal of a row that expired: that is nobody's deletion.
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    {"eventName": ["REMOVE"], **_NOT_BY_TTL},
)
NOTHING: Final[tuple[Pattern, ...]] = ({"eventName": ["NONE"]},)  # no change is called so

# Of rows that expired, those that say by a type of event, or by True, that it matters; `exists` works on leaves only.
EXPIRED: Final[tuple[Pattern, ...]] = tuple(
    {"eventName": ["REMOVE"], "dynamodb": {"OldImage": {EXPIRE: marked}}}
    for marked in ({"S": [{"exists": True}]}, {"BOOL": [True]})
)
# Rows that another version of the service changed: latched, but a control service decides upon them.
CROSSED: Final[Pattern] = {"eventName": [*NEW], "dynamodb": {"NewImage": {latch.ORIGIN: {"S": [{"exists": True}]}}}}


def published(partitions: Sequence[str], table: OwnedTable, *, crossed: bool) -> list[Pattern]:
    """Return the filters of a trigger: changes and expiries of rows that are not latched.

    partitions: those without facts. crossed: latched rows from another version of the service come, too.
    """
    # Each partition by its name: a mapping's filters, unlike those of a rule, have no `anything-but` for a prefix.
    keys = {"Keys": {table.keys.partition: {"S": [{"anything-but": [*partitions]}]}}} if partitions else {}
    within = [_with(one, keys) for one in CHANGED]
    return [*(_unlatched(one) for one in (*within, *EXPIRED)), *([CROSSED] if crossed else [])]


def _unlatched(pattern: Pattern) -> Pattern:
    image = "NewImage" if pattern["eventName"] == [*NEW] else "OldImage"
    return _with(pattern, {image: {latch.LATCHED: {"BOOL": [ABSENT, False]}}})


def _with(pattern: Pattern, images: Mapping[str, Pattern]) -> Pattern:
    """Return a pattern with more conditions on a record's images."""
    present = pattern.get("dynamodb", {})
    merged = {name: {**present.get(name, {}), **images.get(name, {})} for name in (*present, *images)}
    return {**pattern, "dynamodb": merged} if merged else dict(pattern)


_FEW_READS: Final = (
    "written only by Lambda when a trigger gives up, read by a person: CloudTrail data events say more than S3's logs"
)
_FAILURE_KEYS: Final = (
    "Lambda chooses the object's key, below this fixed prefix of a bucket that only this service writes"
)


class StreamMapping(lambda_.CfnEventSourceMapping):
    """The mapping from a table's stream to a function; it counts the changes that it gave up on.

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
    """Create the bucket in which Lambda keeps the batches that a function gave up on, whole, for four weeks."""
    # S3: a queue or a topic would get only pointers into a stream that forgets within a day.
    failures = private_bucket(scope, "Failures", unlogged=_FEW_READS, keeps_days=FORGETS_DAYS)
    function.grant(["s3:ListBucket"], [failures.bucket_arn])
    allow_below(function, failures, [FAILURES], WRITE, keys=_FAILURE_KEYS)
    return failures


def follow(
    table: OwnedTable,
    function: Function,
    failures: s3.Bucket,
    filters: Iterable[Pattern],
    *,
    batch: tuple[int, int],
    within_seconds: int | None = None,
    resumes: bool = False,
) -> None:
    """Bring the changes of a table to a function; `failures` keeps the batches that it cannot take in time.

    batch: changes at most at once, and the seconds to wait for them. within_seconds: at most what the target says,
    which is also the default. resumes: the function may say from which record of a batch the stream must come again.
    """
    target = Target.of(table)
    mapping = StreamMapping
    chosen = filters if target.filters_absent else [made for made in map(_without_absent, filters) if made]
    patterns = [mapping.FilterProperty(pattern=json.dumps(pattern)) for pattern in chosen]
    longest = target.record_age_seconds
    size, window_seconds = batch
    mapping(
        table,
        function,
        starting_position="TRIM_HORIZON",
        batch_size=size,
        maximum_batching_window_in_seconds=window_seconds or None,
        maximum_retry_attempts=-1,
        maximum_record_age_in_seconds=min(within_seconds or longest, longest),
        bisect_batch_on_function_error=True,
        # With both, what is behind that record comes again, and no half of what is before it.
        # https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
        function_response_types=["ReportBatchItemFailures"] if resumes else None,
        destination_config=mapping.DestinationConfigProperty(
            on_failure=mapping.OnFailureProperty(destination=failures.bucket_arn)
        ),
        filter_criteria=mapping.FilterCriteriaProperty(filters=patterns),
    )


def _without_absent(pattern: Pattern) -> Pattern:
    """Return a pattern without its conditions on absent members."""
    without = {}
    for name, wanted in pattern.items():
        if isinstance(wanted, Mapping):
            if kept := _without_absent(wanted):
                without[name] = kept
        elif ABSENT not in wanted:
            without[name] = wanted
    return without
