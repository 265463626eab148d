"""A write side: the tables it owns, a function for each handler file, and its changes' way to the bus."""

import json
from typing import Final

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra import nag
from infra.api import Api
from infra.bucket import private_bucket
from infra.event_hub import EventHub
from infra.function import Function, functions_of
from infra.loops import Participant
from infra.package import Package
from infra.table import Table
from infra.target import Target

# A row that DynamoDB removed because it expired was deleted by nobody. Filters are alternatives.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
NOT_EXPIRED: Final = (
    {"eventName": ["INSERT", "MODIFY"]},
    {"eventName": ["REMOVE"], "userIdentity": {"principalId": [{"exists": False}]}},
)
# A command adds and changes, on condition, and deletes nothing. It reads to recognise a retry and to go back to a
# revision: consistently, so no index.
COMMANDED: Final = ("ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem")
FAILURES: Final = "aws/lambda"  # where Lambda puts what a trigger gave up on


class Service(Construct):
    """An autonomous service, from what its package declares; `stream_first` lets its commands publish too."""

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api, *, stream_first: bool = False) -> None:
        super().__init__(scope, name)
        package = Package("services", name)
        schemas = package.tables()
        tables = {variable: Table(self, variable, schema) for variable, schema in schemas.items()}
        environment = {variable: table.table_name for variable, table in tables.items()}
        functions = functions_of(self, package, ("command", "query", "trigger"), environment)
        api.serve(package.routes(), functions)

        if command := functions.get("command"):
            for table in tables.values():
                table.let(command, *COMMANDED)
            if stream_first:
                hub.let_publish(command, only={"source": name})
        if query := functions.get("query"):
            for table in tables.values():
                table.let_read(query)
        if trigger := functions.get("trigger"):
            hub.let_publish(trigger, only={"source": name})
            hub.join(Participant(name, publishes=frozenset((name, fact) for fact in package.types())))
            self._follow([tables[variable] for variable, schema in schemas.items() if schema.stream], trigger)

    def _follow(self, tables: list[Table], trigger: Function) -> None:
        """Feed the changes of tables to the trigger; what it cannot publish in time is kept, whole."""
        # S3, because a queue or a topic would receive only pointers into a stream that forgets within a day.
        failures = private_bucket(self, "Failures", unlogged=nag.FEW_READS)
        trigger.allow(["s3:ListBucket"], [failures.bucket_arn])
        trigger.allow(["s3:PutObject"], [failures.arn_for_objects(f"{FAILURES}/*")])
        nag.acknowledge_wildcard(trigger, f"<{nag.logical_id(failures)}.Arn>/{FAILURES}/*", nag.FAILURE_KEYS)
        for table in tables:
            _map(table, trigger, failures)


def _map(table: Table, trigger: Function, failures: s3.Bucket) -> None:
    target = Target.of(table)
    mapping = lambda_.CfnEventSourceMapping
    patterns = [mapping.FilterProperty(pattern=json.dumps(pattern)) for pattern in NOT_EXPIRED]
    mapping(  # not the construct above it, whose S3 destination would be granted the whole bucket
        table,
        "Changes",
        function_name=trigger.handler.function_name,
        event_source_arn=table.let_follow(trigger),
        starting_position="TRIM_HORIZON",
        batch_size=100,
        maximum_retry_attempts=-1,
        maximum_record_age_in_seconds=target.record_age_seconds,
        bisect_batch_on_function_error=True,
        destination_config=mapping.DestinationConfigProperty(
            on_failure=mapping.OnFailureProperty(destination=failures.bucket_arn)
        ),
        filter_criteria=mapping.FilterCriteriaProperty(filters=patterns) if target.filters_expiries else None,
    )
