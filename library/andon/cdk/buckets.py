"""Buckets: no public access, encrypted, over TLS only; those of a view in objects, of contents and of models.

One kind can be added to and nothing else. What is replaced in it is what somebody was erased from: nobody reads it any
more, and it goes after `FORGETS_DAYS`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aws_cdk import Aws, Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import tell
from andon.cdk.stage import MOST_LOCK_DAYS
from andon.cdk.target import Target
from andon.content.contents import FOLDER, Contents
from andon.content.links import CHECKSUM, CONTENT_TYPE
from andon.packages.package import Package

# Private buckets: no public access, encrypted, over TLS only. One kind can be added to and nothing else.


FORGETS_DAYS: Final = MOST_LOCK_DAYS
"""So long a version of an object stays that was replaced, and a batch that a trigger gave up on."""

READS_OLD: Final = ("s3:GetObjectVersion",)

WRITES: Final = ("s3:PutObject", "s3:ReplicateObject")

# Besides deleting, what makes S3 delete, and what undoes a lock. Who may change the bucket's policy can lift this:
# in a step of its own, which CloudTrail shows. To deny that, too, would lock everybody out, the deployment included.
DESTROYS: Final = (
    "s3:DeleteObject",
    "s3:DeleteObjectVersion",
    "s3:ReplicateDelete",
    "s3:PutLifecycleConfiguration",
    "s3:BypassGovernanceRetention",
    "s3:DeleteBucket",
)


def private_bucket(
    scope: Construct, name: str, *, unlogged: str, keeps_days: int | None = None, versioned: bool = False
) -> s3.Bucket:
    """Create a bucket.

    unlogged: why its reads are not logged. keeps_days: when its objects expire; None is never. versioned: what
    is replaced stays for a while.
    """
    rules = [] if keeps_days is None else [s3.LifecycleRule(expiration=Duration.days(keeps_days))]
    rules += [forgets()] if versioned else []
    return _bucket(scope, name, unlogged=unlogged, lifecycle_rules=rules, versioned=versioned)


def forgets() -> s3.LifecycleRule:
    """Make what was replaced go after `FORGETS_DAYS`."""
    return s3.LifecycleRule(noncurrent_version_expiration=Duration.days(FORGETS_DAYS))


def tiered_bucket(
    scope: Construct,
    name: str,
    *,
    unlogged: str,
    rules: list[s3.LifecycleRule],
    versioned: bool = False,
    bucket_name: str | None = None,
) -> s3.Bucket:
    """Create a bucket with lifecycle rules for its folders."""
    kept = {"versioned": True} if versioned else {}
    bucket = _bucket(scope, name, unlogged=unlogged, lifecycle_rules=rules, bucket_name=bucket_name, **kept)
    if versioned:
        _deny(bucket, list(READS_OLD), [bucket.arn_for_objects("*")])
    return bucket


def append_only_bucket(
    scope: Construct,
    name: str,
    *,
    unlogged: str,
    writer: iam.IRole,
    replacing: bool = False,
    lock_days: int | None = None,
    bucket_name: str | None = None,
) -> s3.Bucket:
    """Create a bucket to which one role adds objects, and from which nobody removes any.

    replacing: who erases people writes, too. lock_days: so long S3 itself keeps each version (governance mode); None
    leaves that to the policy.
    """
    target = Target.of(scope)
    bucket = _bucket(
        scope,
        name,
        unlogged=unlogged,
        bucket_name=bucket_name,
        versioned=True,  # whatever is written over stays, for a while
        lifecycle_rules=[forgets()],
        # Always: to turn it on later would replace the bucket. What it locks by default can change at any time.
        object_lock_enabled=True,
        object_lock_default_retention=lock_days and s3.ObjectLockRetention.governance(Duration.days(lock_days)),
    )
    objects = bucket.arn_for_objects("*")
    writers = [writer.role_arn, *([eraser_arn(target)] if replacing and target.project.people else [])]
    everybody_else = {"ArnNotEquals": {"aws:PrincipalArn": writers}}  # of its sessions, it is the role's
    _deny(bucket, list(WRITES), [objects], conditions=everybody_else)
    # Nobody is excepted, not even the writer: it only adds. To delete the stack leaves the bucket.
    _deny(bucket, list(DESTROYS), [bucket.bucket_arn, objects])
    _deny(bucket, list(READS_OLD), [objects])
    return bucket


def eraser_name(target: Target) -> str:
    """Return the name of the role that erases people, see `andon.cdk.eraser`."""
    return f"{target.stack_name}-eraser-{Aws.REGION}"


def eraser_arn(target: Target) -> str:
    """Return the ARN of that role, which can be named where it is not there yet."""
    return f"arn:{Aws.PARTITION}:iam::{Aws.ACCOUNT_ID}:role/{eraser_name(target)}"


def _deny(bucket: s3.Bucket, actions: list[str], resources: list[str], **conditions: Any) -> None:  # noqa: ANN401
    anybody: list[iam.IPrincipal] = [iam.AnyPrincipal()]
    bucket.add_to_resource_policy(
        iam.PolicyStatement(
            effect=iam.Effect.DENY, principals=anybody, actions=actions, resources=resources, **conditions
        )
    )


def _bucket(scope: Construct, name: str, *, unlogged: str, **settings: Any) -> s3.Bucket:  # noqa: ANN401  CDK's
    bucket = s3.Bucket(
        scope,
        name,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        encryption=s3.BucketEncryption.S3_MANAGED,
        enforce_ssl=True,
        removal_policy=Target.of(scope).removal_policy,
        **settings,
    )
    nag.acknowledge(bucket, S1=unlogged)
    return bucket


# The bucket of a service that keeps contents of users, and the permissions on it.


# A client uploads and reads with an address that the command or the query has signed: by their permissions.
ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "command": ("s3:GetObject", "s3:PutObject"),
    "query": ("s3:GetObject",),
    "trigger": ("s3:DeleteObject",),
}
LOOK: Final = ("command", "query")
"""The roles that ask whether an object is there. Without ListBucket S3 answers 403 where there is none, and not 404."""

AGE_SECONDS: Final = 3600  # a browser asks so seldom again whether it may upload

DECIDES: Final = "{name}: a control service keeps no contents: keep them in a service without rules."
NOT_TOLD: Final = (
    "{name}: contents are in the table {table}, which is not its own, or has no stream or no ttl: so nobody would "
    "delete what nothing refers to."
)


class OwnedContents(Construct):
    """A service's bucket of contents; its output is its environment variable in PascalCase."""

    def __init__(
        self, scope: Construct, package: Package, contents: Contents, *, functions: Mapping[str, Function], api: Api
    ) -> None:
        super().__init__(scope, pascal(contents.variable))
        refuse_unreleased(package, contents)
        self._bucket = private_bucket(self, "Bucket", unlogged=nag.CONTENT_READS)
        self._bucket.add_cors_rule(
            allowed_methods=[s3.HttpMethods.PUT, s3.HttpMethods.GET],
            allowed_origins=[api.page_origin],
            allowed_headers=[CONTENT_TYPE, CHECKSUM],
            max_age=AGE_SECONDS,
        )
        tell(scope, pascal(contents.variable), self._bucket.bucket_name, "contents of users")
        for role, actions in ALLOWED.items():
            if role in functions:
                functions[role].handler.add_environment(contents.variable, self._bucket.bucket_name)
                functions[role].grant([*actions], [self._bucket.arn_for_objects(f"{FOLDER}/*")])
                nag.acknowledge_keys(functions[role], self._bucket, FOLDER, nag.CONTENT_KEYS)
        for role in LOOK:
            if role in functions:
                functions[role].grant(["s3:ListBucket"], [self._bucket.bucket_arn])


def refuse_unreleased(package: Package, contents: Contents) -> None:
    """Refuse contents that nobody would delete.

    Raises:
        ValueError: the service decides by rules, or its table tells nobody what has expired.

    """
    if package.has("control"):
        raise ValueError(DECIDES.format(name=package.name))
    schema = package.tables.get(contents.table.variable)
    if schema is None or not (schema.stream and schema.expires):
        raise ValueError(NOT_TOLD.format(name=package.name, table=contents.table.variable))


# The models of a service: a bucket that a person writes (`make train`) and its trigger and sweep read.


MODELS: Final = "models"
READERS: Final = ("trigger", "sweep")


class Models(Construct):
    """The bucket of a service that declares one. No function writes models, or deletes any."""

    def __init__(self, scope: Construct, variable: str, *, readers: Iterable[Function]) -> None:
        super().__init__(scope, "Models")
        bucket = private_bucket(self, "Bucket", unlogged=nag.FEW_MODELS, versioned=True)
        tell(self, pascal(variable), bucket.bucket_name, "the models")
        for reader in readers:
            reader.handler.add_environment(variable, bucket.bucket_name)
            reader.grant(["s3:GetObject"], [bucket.arn_for_objects(f"{MODELS}/*")])
            # Without it S3 answers 403 instead of 404 for an object that does not exist.
            reader.grant(["s3:ListBucket"], [bucket.bucket_arn])
            nag.acknowledge_keys(reader, bucket, MODELS, nag.MODEL_KEYS)
