"""The lake: everything that goes over the bus, in a bucket that keeps it for ever."""

from collections.abc import Iterator
from typing import Final

from aws_cdk import Aws, Stack
from aws_cdk import aws_athena as athena
from aws_cdk import aws_glue as glue
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.buckets import append_only_bucket, private_bucket
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import OF_COPY, OF_LAKE, Watched
from andon.cdk.package_stack import add_output
from andon.cdk.queues import FEWEST, Batch
from andon.cdk.replica import LAKE_COPY, replicate
from andon.cdk.stores import LAKE, Store
from andon.cdk.target import Target
from andon.recorded.lake import EVENTS
from andon.stores.lake import queries, store

# The place to ask the lake: a table over its objects in Glue, and a work group of Athena with the saved queries.
#
# Nothing announces a new hour: Athena computes the partitions from the table's properties (partition projection).

_FIRST_DAY: Final = "2026-11-01"  # no lake is older; each day of the range costs 24 listings if a query names no days
_KEEPS_ANSWERS_DAYS: Final = 30

# A query that would read more is stopped. 100 GB are about a billion events, and cost half a dollar.
MOST_BYTES: Final = 100 * 1000**3

FORMATS: Final = "org.apache.hadoop"
_SERDE: Final = "org.openx.data.jsonserde.JsonSerDe"
READING: Final = {
    "case.insensitive": "FALSE",  # or the names within `detail` would become lower case
    "ignore.malformed.json": "FALSE",  # what cannot be read is not in this folder, so a bad line is a fault of ours
    **{f"mapping.{column}": member for column, member in queries.COLUMNS.items() if column != member},
}

_ASKS: Final = (
    "athena:GetNamedQuery",
    "athena:GetQueryExecution",
    "athena:GetQueryResults",
    "athena:GetWorkGroup",
    "athena:ListNamedQueries",
    "athena:ListQueryExecutions",
    "athena:StartQueryExecution",
    "athena:StopQueryExecution",
)


class Questions(Construct):
    """The table, the work group, and a policy for askers."""

    def __init__(self, scope: Construct, lake: s3.Bucket) -> None:
        super().__init__(scope, "Questions")
        deployed = Target.of(self).stack_name
        database = f"{deployed}_lake".lower().replace("-", "_")
        made = glue.CfnDatabase(self, "Database", catalog_id=Aws.ACCOUNT_ID, database_input={"name": database})
        self._table(database, lake).add_resource_dependency(made)

        answers = private_bucket(self, "Answers", unlogged=nag.ANSWERS, keeps_days=_KEEPS_ANSWERS_DAYS)
        group = self._work_group(f"{deployed}-lake", answers)
        for name in queries.names():
            self._save(name, database, group)
        policy = self._policy(database, group, lake, answers)
        add_output(self, "LakeDatabaseName", database, "the lake's table is in it")
        add_output(self, "LakeWorkGroup", group.name, "Athena's work group for the lake")
        add_output(self, "AskLakePolicyArn", policy.managed_policy_arn, "allows asking the lake")

    def _table(self, database: str, bucket: s3.Bucket) -> glue.CfnTable:
        folder = f"s3://{bucket.bucket_name}/{EVENTS}"
        partitions = "/".join(f"{name}=${{{name}}}" for name in queries.PARTITIONS)
        projection = {
            "projection.enabled": "true",
            "projection.day.type": "date",
            "projection.day.format": "yyyy-MM-dd",
            "projection.day.range": f"{_FIRST_DAY},NOW",
            "projection.day.interval": "1",
            "projection.day.interval.unit": "DAYS",
            "projection.hour.type": "enum",
            "projection.hour.values": ",".join(f"{hour:02}" for hour in range(24)),
            "storage.location.template": f"{folder}/{partitions}/",
        }
        table = glue.CfnTable.TableInputProperty(
            name=queries.TABLE,
            table_type="EXTERNAL_TABLE",
            parameters={"EXTERNAL": "TRUE", "classification": "json", **projection},
            partition_keys=_columns(queries.PARTITIONS),
            storage_descriptor=glue.CfnTable.StorageDescriptorProperty(
                columns=_columns(queries.COLUMNS),
                location=f"{folder}/",
                input_format=f"{FORMATS}.mapred.TextInputFormat",
                output_format=f"{FORMATS}.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
                serde_info=glue.CfnTable.SerdeInfoProperty(serialization_library=_SERDE, parameters=READING),
            ),
        )
        return glue.CfnTable(self, "Table", catalog_id=Aws.ACCOUNT_ID, database_name=database, table_input=table)

    def _work_group(self, name: str, answers: s3.Bucket) -> athena.CfnWorkGroup:
        encryption = athena.CfnWorkGroup.EncryptionConfigurationProperty(encryption_option="SSE_S3")
        settings = athena.CfnWorkGroup.WorkGroupConfigurationProperty(
            enforce_work_group_configuration=True,  # nobody chooses another bucket or another limit
            bytes_scanned_cutoff_per_query=MOST_BYTES,
            publish_cloud_watch_metrics_enabled=True,
            engine_version=athena.CfnWorkGroup.EngineVersionProperty(selected_engine_version="Athena engine version 3"),
            result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
                output_location=f"s3://{answers.bucket_name}/", encryption_configuration=encryption
            ),
        )
        return athena.CfnWorkGroup(
            self,
            "WorkGroup",
            name=name,
            description="Questions to the lake",
            recursive_delete_option=True,  # its history goes with it, or it could not be deleted
            work_group_configuration=settings,
        )

    def _save(self, name: str, database: str, group: athena.CfnWorkGroup) -> None:
        """Put a saved query into the console; a parameter without a default has an example there."""
        question = queries.saved(name)
        needed = {one.name: "press-7" for one in question.parameters if one.default is None}
        saved = athena.CfnNamedQuery(
            self,
            f"Query-{name}",
            name=name,
            description=question.title,
            database=database,
            work_group=group.name,
            query_string=question.literal(needed),
        )
        saved.add_resource_dependency(group)

    def _policy(
        self, database: str, group: athena.CfnWorkGroup, lake: s3.Bucket, answers: s3.Bucket
    ) -> iam.ManagedPolicy:
        """Return the permissions to ask, and no more; an administrator attaches them."""
        arn = Stack.of(self).format_arn
        catalog = [
            arn(service="glue", resource="catalog"),
            arn(service="glue", resource="database", resource_name=database),
            arn(service="glue", resource="table", resource_name=f"{database}/{queries.TABLE}"),
        ]
        grants = {
            arn(service="athena", resource="workgroup", resource_name=group.name): _ASKS,
            tuple(catalog): ("glue:GetDatabase", "glue:GetTable", "glue:GetTables"),
            lake.arn_for_objects(f"{EVENTS}/*"): ("s3:GetObject",),
            (lake.bucket_arn, answers.bucket_arn): ("s3:GetBucketLocation", "s3:ListBucket"),
            answers.arn_for_objects("*"): ("s3:AbortMultipartUpload", "s3:GetObject", "s3:PutObject"),
        }
        statements = [
            iam.PolicyStatement(actions=list(actions), resources=[on] if isinstance(on, str) else list(on))
            for on, actions in grants.items()
        ]
        policy = iam.ManagedPolicy(
            self, "Ask", description="May ask the lake, and change nothing in it", statements=statements
        )
        nag.acknowledge_keys(policy, lake, EVENTS, LAKE.keys)
        nag.acknowledge_wildcard(policy, f"<{nag.arn_of(answers, seen_from=policy)}>/*", nag.ANSWER_KEYS)
        return policy


def _columns(names: tuple[str, ...] | dict[str, str]) -> list[glue.CfnTable.ColumnProperty]:
    return [glue.CfnTable.ColumnProperty(name=name, type="string") for name in names]


class Lake(Store):
    """A queue for everything, the listener that writes it to a bucket, and a way to ask it."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "lake", hub, api)

    def build(self) -> None:
        """Create listener, bucket and queue, and route everything to it."""
        target = Target.of(self.stack)
        size, window_seconds = target.lake_batch
        listener = self.open({}, output="Lake", batch=Batch(size, window_seconds, at_a_time=FEWEST))["listener"]
        bucket = append_only_bucket(
            self.stack,
            "Bucket",
            unlogged=LAKE.unlogged,
            writer=listener.iam_role,
            replacing=True,
            lock_days=target.stage.lake_lock_days,
        )
        replicate(bucket, LAKE_COPY, in_time=True)
        self._bucket = self.hub.buckets[store.BUCKET] = bucket
        LAKE.let({"listener": listener}, bucket)
        self.hub.route_all_but_replayed(self.stack, to=self.reader)
        if target.asks_by_athena:
            Questions(self.stack, bucket)

    def signals(self) -> Iterator[Watched]:
        """Yield its queue and its copy."""
        yield self.reader, OF_LAKE
        yield self._bucket, OF_COPY

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield the dashboard row of the lake."""
        yield dashboard.of_reader(self.reader)
