"""A private bucket: no public access, encrypted, over TLS only."""

from aws_cdk import Duration
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.checks import nag
from infra.target import Target


def private_bucket(scope: Construct, name: str, *, unlogged: str, keeps_days: int | None = None) -> s3.Bucket:
    """Create a bucket.

    unlogged: why its reads are not logged. keeps_days: when its objects expire; None is never.
    """
    rules = None if keeps_days is None else [s3.LifecycleRule(expiration=Duration.days(keeps_days))]
    bucket = s3.Bucket(
        scope,
        name,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        lifecycle_rules=rules,
        removal_policy=Target.of(scope).removal_policy,
    )
    nag.acknowledge(bucket, S1=unlogged)
    return bucket
