"""The rest when a region is lost: a stack of its own in the replica region, with copies of lake and archive.

An acknowledged write is in a table, or on the bus. From there it goes over the stream and the bus into the lake, and
S3 copies the lake's objects. What each step takes at most: `rpo_seconds` of `andon.cdk.operations.signals`. What the
archive's copy lacks its sweep writes again, from the lake.
"""

from typing import Final

from aws_cdk import App, Aws, Duration, Environment, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.buckets import append_only_bucket, tiered_bucket
from andon.cdk.checks import nag
from andon.cdk.package_stack import add_output
from andon.cdk.target import Target

LAKE_COPY, ARCHIVE_COPY = "lake", "archive"

COPY_MINUTES: Final = 15
"""S3 promises 99.9 % of a month's objects within it, by replication time control: https://aws.amazon.com/s3/sla-rtc/"""

# What S3 needs to copy an object, with its lock if it has one.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/setting-repl-config-perm-overview.html
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-managing.html#object-lock-managing-replication
_OF_BUCKET: Final = ("s3:GetReplicationConfiguration", "s3:ListBucket")
_OF_OBJECTS: Final = (
    "s3:GetObjectLegalHold",
    "s3:GetObjectRetention",
    "s3:GetObjectVersionAcl",
    "s3:GetObjectVersionForReplication",
    "s3:GetObjectVersionTagging",
)
_COPIES: Final = ("s3:ReplicateObject", "s3:ReplicateTags")
_FORGETS: Final = "s3:ReplicateDelete"

RULE: Final = "replica"
"""The name of the one rule of a bucket, which its metrics have, too."""

_OLD_VERSIONS_DAYS: Final = 1
"""The sweep writes a day's objects again each hour; what it replaced is of no use."""


class ReplicaStack(Stack):
    """The buckets in the replica region. It is deployed first: S3 copies to no bucket that is not there.

    archive_rules: the lifecycle of the archive, which its copy has, too.
    """

    def __init__(self, root: Stack, *, archive_rules: list[s3.LifecycleRule]) -> None:
        target, app = Target.of(root), App.of(root)
        account = target.environment.account if target.environment else None
        super().__init__(
            app if isinstance(app, Construct) else None,
            f"{target.stack_name}-replica",
            description=f"{target.project.title}: what is left when a region is lost",
            env=Environment(account=account, region=target.stage.replica_region),
            synthesizer=target.synthesizer,
            termination_protection=target.protected,
        )
        root.add_stack_dependency(self)
        arn = f"arn:{Aws.PARTITION}:iam::{Aws.ACCOUNT_ID}:role/{_role_name(target, LAKE_COPY)}"
        lake = append_only_bucket(
            self,
            "Lake",
            unlogged=nag.COPY_READS,
            writer=iam.Role.from_role_arn(self, "Copier", arn),
            lock_days=target.stage.lake_lock_days,
            bucket_name=name_of_copy(target, LAKE_COPY),
        )
        archive = tiered_bucket(
            self,
            "Archive",
            unlogged=nag.COPY_READS,
            rules=archive_rules,
            versioned=True,
            bucket_name=name_of_copy(target, ARCHIVE_COPY),
        )
        add_output(self, "LakeCopy", lake.bucket_name, "the copy of the lake")
        add_output(self, "ArchiveCopy", archive.bucket_name, "the copy of the archive")


def replicate(bucket: s3.Bucket, kind: str, *, in_time: bool) -> None:
    """Let S3 copy a bucket to the replica region; a stage without one copies nothing.

    in_time: within `COPY_MINUTES`, which has a price of its own; and what is deleted here stays there. Else it is
    deleted there, too.
    """
    target = Target.of(bucket)
    if target.stage.replica_region is None:
        return
    copy = f"arn:{Aws.PARTITION}:s3:::{name_of_copy(target, kind)}"
    role = _copier(bucket, kind, _COPIES if in_time else (*_COPIES, _FORGETS), f"{copy}/*")
    made = bucket.node.default_child
    if not isinstance(made, s3.CfnBucket):
        raise TypeError(f"{bucket.node.path} is no bucket")
    made.replication_configuration = s3.CfnBucket.ReplicationConfigurationProperty(
        role=role.role_arn, rules=[_rule(copy, in_time=in_time)]
    )


def _copier(bucket: s3.Bucket, kind: str, writes: tuple[str, ...], copies: str) -> iam.Role:
    target, service = Target.of(bucket), iam.ServicePrincipal("s3.amazonaws.com")
    scope = Construct(bucket, "Replication")
    role = iam.Role(scope, "Role", role_name=_role_name(target, kind), assumed_by=service)
    _allow(role, _OF_BUCKET, bucket.bucket_arn)
    _allow(role, _OF_OBJECTS, bucket.arn_for_objects("*"))
    _allow(role, writes, copies)
    for every in (f"<{nag.arn_of(bucket, seen_from=role)}>/*", copies):
        nag.acknowledge_wildcard(role, every, nag.COPIED_KEYS)
    return role


def name_of_copy(target: Target, kind: str) -> str:
    """Return the name of a bucket's copy, which both stacks and the runbook have to know: unique by account."""
    return f"{target.stack_name.lower()}-{kind}-{Aws.ACCOUNT_ID}-{target.stage.replica_region}"


def old_versions() -> s3.LifecycleRule:
    """Return the rule that expires replaced versions, and marks of deleted objects."""
    days = Duration.days(_OLD_VERSIONS_DAYS)
    return s3.LifecycleRule(noncurrent_version_expiration=days, expired_object_delete_marker=True)


def _role_name(target: Target, kind: str) -> str:
    return f"{target.stack_name}-{kind}-to-{target.stage.replica_region}"


def _allow(role: iam.Role, actions: tuple[str, ...], resource: str) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=list(actions), resources=[resource]))


def _rule(copy: str, *, in_time: bool) -> s3.CfnBucket.ReplicationRuleProperty:
    """Return the rule for all objects. Of the second version, which knows delete markers and asks for a filter."""
    of = s3.CfnBucket
    within = of.ReplicationTimeValueProperty(minutes=COPY_MINUTES)
    return of.ReplicationRuleProperty(
        id=RULE,
        status="Enabled",
        priority=0,
        filter=of.ReplicationRuleFilterProperty(prefix=""),
        delete_marker_replication=of.DeleteMarkerReplicationProperty(status="Disabled" if in_time else "Enabled"),
        destination=of.ReplicationDestinationProperty(
            bucket=copy,
            metrics=of.MetricsProperty(status="Enabled", event_threshold=within) if in_time else None,
            replication_time=of.ReplicationTimeProperty(status="Enabled", time=within) if in_time else None,
        ),
    )
