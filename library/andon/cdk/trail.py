"""A trail: who read or wrote which object of what is recorded, as CloudTrail sees it, in a bucket of its own."""

from collections.abc import Iterable
from typing import Final

from aws_cdk import Stack
from aws_cdk import aws_cloudtrail as cloudtrail
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag

KEEPS_DAYS: Final = 365


def trail_of(root: Stack, buckets: Iterable[s3.Bucket]) -> None:
    """Create a trail of the data events of some buckets, and of nothing else: each event is paid for.

    https://docs.aws.amazon.com/awscloudtrail/latest/userguide/logging-data-events-with-cloudtrail.html
    """
    scope = Construct(root, "Trail")
    bucket = private_bucket(scope, "Bucket", unlogged=nag.TRAIL_READS, keeps_days=KEEPS_DAYS)
    name = f"{root.stack_name}-data"
    _deny_other_trails(bucket, Stack.of(scope).format_arn(service="cloudtrail", resource="trail", resource_name=name))
    trail = cloudtrail.Trail(
        scope,
        "Trail",
        trail_name=name,
        bucket=bucket,
        management_events=cloudtrail.ReadWriteType.NONE,
        include_global_service_events=False,
        is_multi_region_trail=False,
        enable_file_validation=True,  # a log that somebody changed or took away can be told
    )
    # An ARN that ends in a slash: all objects of the bucket.
    trail.add_s3_event_selector(
        [cloudtrail.S3EventSelector(bucket=one) for one in buckets], include_management_events=False
    )


def _deny_other_trails(bucket: s3.Bucket, trail: str) -> None:
    """Keep the trails of other accounts, which CloudTrail writes by the same principal, out of a bucket.

    https://docs.aws.amazon.com/awscloudtrail/latest/userguide/create-s3-bucket-policy-for-cloudtrail.html
    """
    bucket.add_to_resource_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            principals=[iam.ServicePrincipal("cloudtrail.amazonaws.com")],
            actions=["s3:*"],
            resources=[bucket.bucket_arn, bucket.arn_for_objects("*")],
            conditions={"StringNotEquals": {"aws:SourceArn": trail}},
        )
    )
