"""A write side: the tables it owns, a function for each handler file, and its changes' way to the bus."""

import json
from collections.abc import Iterable
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.api import Api
from infra.bucket import private_bucket
from infra.checks import nag
from infra.checks.loops import Participant
from infra.event_hub import EventHub
from infra.function import Function, functions_of
from infra.package import Package
from infra.table import Table
from infra.target import Target
from patterns.events import fault
from patterns.rules import due, hold_back
from patterns.rules.stored_event import EXPIRE

ROLES: Final = ("command", "query", "trigger", "listener", "sweep")

# A command adds and changes, on condition, and deletes nothing. It reads to recognise a retry and to go back to a
# revision: consistently, so no index.
COMMANDED: Final = ("ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem")
COLLECTED: Final = ("PutItem", "UpdateItem")  # an event, once; what the rules have to know beside events
DECIDED: Final = ("GetItem", "PutItem", "Query")  # upon the past of an event, read consistently: so no index
SWEPT: Final = (*DECIDED, "DeleteItem")  # what is done is due no more

# What of a table's changes reaches the trigger. Filters are alternatives, of which a mapping has five.
# https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
CHANGED: Final = (
    {"eventName": ["INSERT", "MODIFY"]},
    # A row that DynamoDB removed because it expired was deleted by nobody.
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    {"eventName": ["REMOVE"], "userIdentity": {"principalId": [{"exists": False}]}},
)
# Unless it asked to be told of, by the type of an event or by True; `exists` works on leaves only.
ASKED: Final = tuple(
    {"eventName": ["REMOVE"], "dynamodb": {"OldImage": {EXPIRE: asked}}}
    for asked in ({"S": [{"exists": True}]}, {"BOOL": [True]})
)
FAILURES: Final = "aws/lambda"  # where Lambda puts what a trigger gave up on
EVERY: Final = Duration.minutes(1)


class Service(Construct):
    """An autonomous service, from what its package declares; `stream_first` lets its commands publish too.

    With a listener it is a control service: it hears others, and decides upon what it heard; with a sweep, also when
    time has passed.
    """

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api, *, stream_first: bool = False) -> None:
        super().__init__(scope, name)
        package = Package("services", name)
        schemas = package.tables()
        self._tables = {variable: Table(self, variable, schema) for variable, schema in schemas.items()}
        environment = {variable: table.table_name for variable, table in self._tables.items()}
        functions = functions_of(self, package, ROLES, environment)
        api.serve(package.routes(), functions)
        published = frozenset((name, event_type) for event_type in package.types() | {fault.TYPE})
        hub.join(Participant(name, hears=package.hears(), publishes=published))

        if command := functions.get("command"):
            self._let(command, COMMANDED)
            if stream_first:
                hub.let_publish(command, only={"source": name})
        if query := functions.get("query"):
            for table in self._tables.values():
                table.let_read(query)
        if trigger := functions.get("trigger"):
            hub.let_publish(trigger, only={"source": name})
            streamed = [self._tables[variable] for variable, schema in schemas.items() if schema.stream]
            self._follow(streamed, trigger, swept="sweep" in functions)
        listener = functions.get("listener")
        self.reader = hub.let_hear(self, listener, package.hears()) if listener else None
        if listener:
            self._let(listener, COLLECTED)
        if listener and trigger:
            self._let_decide(trigger, DECIDED)
        if sweep := functions.get("sweep"):
            hub.let_publish(sweep, only={"source": name, "detail-type": fault.TYPE})
            self._let_decide(sweep, SWEPT)
            self._run_each_minute(sweep)

    def _let(self, function: Function, actions: Iterable[str]) -> None:
        for table in self._tables.values():
            table.let(function, *actions)

    def _let_decide(self, function: Function, actions: Iterable[str]) -> None:
        self._let(function, actions)
        function.handler.add_environment(hold_back.VARIABLE, str(Target.of(self).hold_back_seconds))

    def _run_each_minute(self, sweep: Function) -> None:
        """Let a schedule call the sweep; what one could not do the next one does, so that none is tried again."""
        # EventBridge only hands it over: without this, Lambda itself would try it twice more, beside the next ones.
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        target = targets.LambdaFunction(sweep.handler, retry_attempts=0)
        events.Rule(self, "EachMinute", schedule=events.Schedule.rate(EVERY), targets=[target])

    def _follow(self, tables: list[Table], trigger: Function, *, swept: bool) -> None:
        """Feed the changes of tables to the trigger; what it cannot publish in time is kept, whole."""
        # S3, because a queue or a topic would receive only pointers into a stream that forgets within a day.
        failures = private_bucket(self, "Failures", unlogged=nag.FEW_READS)
        trigger.allow(["s3:ListBucket"], [failures.bucket_arn])
        trigger.allow(["s3:PutObject"], [failures.arn_for_objects(f"{FAILURES}/*")])
        nag.acknowledge_wildcard(trigger, f"<{nag.logical_id(failures)}.Arn>/{FAILURES}/*", nag.FAILURE_KEYS)
        for table in tables:
            _map(table, trigger, failures, [*(_not_due(table) if swept else CHANGED), *ASKED])


def _not_due(table: Table) -> list[dict[str, object]]:
    """Leave the index of due times out of what changed: it comes and goes, and nobody is to hear of it."""
    # Each partition by its name, because a mapping has no `anything-but` for a prefix, as a rule of the bus has.
    partitions = [due.partition_of(shard) for shard in range(due.SHARDS)]
    keys = {table.keys.partition: {"S": [{"anything-but": partitions}]}}
    return [{**changed, "dynamodb": {"Keys": keys}} for changed in CHANGED]


def _map(table: Table, trigger: Function, failures: s3.Bucket, filters: Iterable[object]) -> None:
    target = Target.of(table)
    mapping = lambda_.CfnEventSourceMapping
    patterns = [mapping.FilterProperty(pattern=json.dumps(pattern)) for pattern in filters]
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
