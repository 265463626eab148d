"""Role that erases a person: an administrator assumes it, and no function has it; see `andon.tools.erase`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from aws_cdk import Aws, Fn, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.buckets import OwnedContents, eraser_name
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.names import ERASER_ROLE, SWEPT_BUCKETS
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import Watched
from andon.cdk.owned_table import KEY_USES, OwnedTable
from andon.cdk.package_stack import add_output, root_of
from andon.cdk.queues import LastResort
from andon.cdk.target import Target
from andon.project import project
from andon.recorded import archive
from andon.stores.drift import store as drift
from andon.stores.faults import store as faults

_SWEEPS: Final = ("dynamodb:GetItem", "dynamodb:Scan", "dynamodb:UpdateItem")
JOBS: Final = ("dynamodb:GetItem", "dynamodb:PutItem")
_JOB_KEYS: Final = "Erasure#*"
REPLACES: Final = ("s3:GetObject", "s3:PutObject")
READS: Final = ("sqs:ChangeMessageVisibility", "sqs:ReceiveMessage")
_SIGNS_OUT: Final = ("cognito-idp:AdminDeleteUser", "cognito-idp:AdminUserGlobalSignOut", "cognito-idp:ListUsers")

RENAMED: Final = (archive.BUCKET, faults.BUCKET, drift.BUCKET)
"""Buckets from which objects go: days that are written again, and what is named by a digest."""


class Eraser:
    """The role, with no more than a sweep needs: on the lake it writes, and neither deletes nor reads old versions."""

    name = "eraser"
    package = None

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        self._scope, self._hub, self._api = scope, hub, api
        hub.declare(self)

    @property
    def stack(self) -> Stack:
        """The template of the role: the root's, for a nested one has too few parameters for every table and bucket."""
        return root_of(self._scope)

    def build(self) -> None:
        """Create the role. Its name is known before it is there: the lake's policy names it."""
        self._role = iam.Role(
            self.stack,
            "Eraser",
            role_name=eraser_name(Target.of(self._scope)),
            assumed_by=iam.AccountPrincipal(Aws.ACCOUNT_ID),
            description="Erases a person; for an administrator",
        )
        add_output(self.stack, ERASER_ROLE, self._role.role_arn, "the role that erases a person")

    def connect(self) -> None:
        """Connect nothing: see `finish`."""

    def finish(self) -> None:
        """Allow sweeping every table and bucket that the parts have created, and reading every dead letter."""
        made = [one for one in root_of(self.stack).node.find_all() if isinstance(one, Construct)]
        self._sweep_tables([one for one in made if isinstance(one, OwnedTable)])
        self._sweep_buckets([one for one in made if isinstance(one, s3.Bucket) and not _is_of_contents(one)])
        self._allow(READS, [queue.queue_arn for queue in made if isinstance(queue, LastResort)])
        self._allow(_SIGNS_OUT, [self._api.sign_in.pool.user_pool_arn])

    def signals(self) -> Iterator[Watched]:
        """Yield nothing: a person waits for it."""
        yield from ()

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield nothing."""
        yield from ()

    def _sweep_tables(self, tables: list[OwnedTable]) -> None:
        people = project().people
        if people is None:
            raise ValueError("the project does not say where the names of people are")
        apart = {people.table, *people.others}
        self._allow(_SWEEPS, [table.table_arn for table in tables if table.variable not in apart])
        jobs = [table.table_arn for table in tables if table.variable == people.table]
        self._allow(JOBS, jobs, {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [_JOB_KEYS]}})
        self._use_keys(tables)

    def _use_keys(self, tables: Iterable[dynamodb.Table]) -> None:
        keys = {table.encryption_key.key_arn for table in tables if table.encryption_key}
        if keys:
            through = {"StringEquals": {"kms:ViaService": f"dynamodb.{Aws.REGION}.amazonaws.com"}}
            self._allow(KEY_USES, sorted(keys), through)

    def _sweep_buckets(self, buckets: list[s3.Bucket]) -> None:
        self._allow(["s3:ListBucket"], [bucket.bucket_arn for bucket in buckets])
        self._allow(REPLACES, [bucket.arn_for_objects("*") for bucket in buckets])
        renamed = [self._hub.bucket(variable) for variable in RENAMED]
        self._allow(["s3:DeleteObject"], [bucket.arn_for_objects("*") for bucket in renamed])
        for bucket in buckets:
            nag.acknowledge_wildcard(self._role, f"<{nag.arn_of(bucket, seen_from=self._role)}>/*", nag.SWEPT_KEYS)
        add_output(
            self.stack, SWEPT_BUCKETS, Fn.join(",", [bucket.bucket_name for bucket in buckets]), "buckets to sweep"
        )

    def _allow(self, actions: Iterable[str], resources: list[str], only_if: Mapping[str, object] | None = None) -> None:
        self._role.add_to_policy(iam.PolicyStatement(actions=[*actions], resources=resources, conditions=only_if))


def _is_of_contents(bucket: s3.Bucket) -> bool:
    """Return True if a bucket has contents of users: they are named by their digests, and say nothing as text."""
    return isinstance(bucket.node.scope, OwnedContents)
