"""Buckets: no public access, encrypted, over TLS only; those of a view in objects, of contents and of models.

One kind can be added to and nothing else. What is replaced in it is what somebody was erased from: nobody reads it any
more, and it goes after `FORGETS_DAYS`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from aws_cdk import Aws, Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.checks.declared import refuse_unkept
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import add_output
from andon.cdk.stage import MOST_LOCK_DAYS
from andon.cdk.target import Target
from andon.content.contents import FOLDER, Contents
from andon.content.keep import CHECKSUM, CONTENT_TYPE
from andon.packages.package import Package
from andon.views.object_table import FOLDER as OBJECTS
from andon.views.object_table import ObjectTable

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


READ: Final = "s3:GetObject"
WRITE: Final = "s3:PutObject"  # to replace an object if it has not changed, S3 needs both permissions
DELETE: Final = "s3:DeleteObject"


class Use(NamedTuple):
    """The calls that roles make on the objects below some folders."""

    roles: tuple[str, ...]
    folders: tuple[str, ...]
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredBucket:
    """A bucket, as its owner declares it: its content and its uses.

    variable: of the functions that use it; in PascalCase it is the output. holds: in words. unlogged: why its reads are
    not logged. keys: why the keys below a folder are a wildcard. looks: the roles that ask whether an object is there:
    without ListBucket S3 answers 403 where there is none, and not 404. keeps_days: when its objects expire; None is
    never. versioned: what is replaced stays for a while.
    """

    variable: str
    holds: str
    unlogged: str
    keys: str
    uses: tuple[Use, ...]
    looks: tuple[str, ...] = ()
    keeps_days: int | None = None
    versioned: bool = False

    def create(self, scope: Construct, functions: Mapping[str, Function]) -> s3.Bucket:
        """Create it, and let its owner's functions use it as declared."""
        bucket = private_bucket(
            scope, "Bucket", unlogged=self.unlogged, keeps_days=self.keeps_days, versioned=self.versioned
        )
        self.let(functions, bucket)
        return bucket

    def let(self, functions: Mapping[str, Function], bucket: s3.Bucket, *, told: Construct | None = None) -> None:
        """Name a bucket, and let functions by their roles use it as declared; told: in that template, not its own."""
        add_output(told or bucket, pascal(self.variable), bucket.bucket_name, self.holds)
        for use in self.uses:
            for role in use.roles:
                if role in functions:
                    self.allow(functions[role], bucket, use.folders, *use.calls)
        for role in self.looks:
            if role in functions:
                functions[role].grant(["s3:ListBucket"], [bucket.bucket_arn])

    def let_read(self, function: Function, bucket: s3.Bucket, folder: str, *, variable: str | None = None) -> None:
        """Let a function of another package read the objects below a folder, and ask for their existence."""
        self.allow(function, bucket, [folder], READ, variable=variable)
        function.grant(["s3:ListBucket"], [bucket.bucket_arn])

    def allow(
        self, function: Function, bucket: s3.Bucket, folders: Iterable[str], *calls: str, variable: str | None = None
    ) -> None:
        """Allow a function some calls on the objects below folders."""
        function.handler.add_environment(variable or self.variable, bucket.bucket_name)
        allow_below(function, bucket, folders, *calls, keys=self.keys)


def allow_below(function: Function, bucket: s3.Bucket, folders: Iterable[str], *calls: str, keys: str) -> None:
    """Allow a function some calls on the objects below folders; keys: why their keys are a wildcard."""
    function.grant([*calls], [bucket.arn_for_objects(f"{folder}/*") for folder in folders])
    for folder in folders:
        nag.acknowledge_keys(function, bucket, folder, keys)


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
    """Expire replaced versions after `FORGETS_DAYS`."""
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
    writers = [writer.role_arn, *([_eraser_arn(target)] if replacing and target.project.people else [])]
    everybody_else = {"ArnNotEquals": {"aws:PrincipalArn": writers}}  # of its sessions, it is the role's
    _deny(bucket, list(WRITES), [objects], conditions=everybody_else)
    # Nobody is excepted, not even the writer: it only adds. To delete the stack leaves the bucket.
    _deny(bucket, list(DESTROYS), [bucket.bucket_arn, objects])
    _deny(bucket, list(READS_OLD), [objects])
    return bucket


def eraser_name(target: Target) -> str:
    """Return the name of the role that erases people, see `andon.cdk.eraser`."""
    return f"{target.stack_name}-eraser-{Aws.REGION}"


def _eraser_arn(target: Target) -> str:
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

_AGE_SECONDS: Final = 3600  # a browser asks so seldom again whether it may upload

_DECIDES: Final = "{name}: a control service keeps no contents: keep them in a service without rules."
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
        contents_of(contents.variable).create(self, functions).add_cors_rule(
            allowed_methods=[s3.HttpMethods.PUT, s3.HttpMethods.GET],
            allowed_origins=[api.page_origin],
            allowed_headers=[CONTENT_TYPE, CHECKSUM],
            max_age=_AGE_SECONDS,
        )


def contents_of(variable: str) -> DeclaredBucket:
    """Return the bucket of contents; a client uploads and reads as the command or the query that signs may."""
    return DeclaredBucket(
        variable=variable,
        holds="contents of users",
        unlogged="read at presigned addresses, whose giving the API logs: data events say more than S3's logs",
        keys="an object's key names its digest and a time, below a fixed prefix of a bucket of one service",
        uses=(
            Use(("command",), (FOLDER,), (READ, WRITE)),
            Use(("query",), (FOLDER,), (READ,)),
            Use(("trigger",), (FOLDER,), (DELETE,)),
        ),
        looks=("command", "query"),
    )


def refuse_unreleased(package: Package, contents: Contents) -> None:
    """Refuse contents that nobody would delete.

    Raises:
        ValueError: the service decides by rules, or its table tells nobody what has expired.

    """
    if package.has("control"):
        raise ValueError(_DECIDES.format(name=package.name))
    schema = package.tables.get(contents.table.variable)
    if schema is None or not (schema.stream and schema.expires):
        raise ValueError(NOT_TOLD.format(name=package.name, table=contents.table.variable))


# The models of a service: a bucket that a person writes (`make train`) and its trigger and sweep read.

MODELS: Final = "models"
READERS: Final = ("trigger", "sweep")


class Models(Construct):
    """The bucket of a service that declares one. No function writes models, or deletes any."""

    def __init__(self, scope: Construct, variable: str, *, functions: Mapping[str, Function]) -> None:
        super().__init__(scope, "Models")
        DeclaredBucket(
            variable=variable,
            holds="the models",
            unlogged="read by two functions each minute, written by a person: CloudTrail data events say more than S3's"
            " logs",
            keys="a model's key ends in its version, below a fixed prefix of the bucket of models",
            uses=(Use(READERS, (MODELS,), (READ,)),),
            looks=READERS,
            versioned=True,
        ).create(self, functions)


# The bucket of a view in objects.


class OwnedObjects(Construct):
    """A view's bucket; its output is its environment variable in PascalCase.

    S3 deletes an object so many days after it was last written, and knows no date of its own for each. So it is kept as
    long as a row of that write may be, and a day more; readers leave out rows that have expired. An object is never
    deleted but by S3 itself.
    """

    def __init__(
        self, scope: Construct, package: Package, objects: ObjectTable, *, functions: Mapping[str, Function]
    ) -> None:
        super().__init__(scope, pascal(objects.variable))
        refuse_unkept(package)
        view = package.view
        DeclaredBucket(
            variable=objects.variable,
            holds="the objects of a view",
            unlogged="read by a view's query, whose requests the API logs: data events say more than S3's logs",
            keys="an object's key names the group of rows in it, below a fixed prefix of a bucket of one view",
            uses=(Use(("query",), (OBJECTS,), (READ,)), Use(("listener", "recompute"), (OBJECTS,), (READ, WRITE))),
            looks=("query", "listener", "recompute"),
            keeps_days=max(view.TTL_DAYS or 0, getattr(view, "EXPIRES_WITHIN_DAYS", None) or 0) + 1,
        ).create(self, functions)
