"""A write side: the tables it owns, a function for each handler file, and how its changes reach the bus."""

import json
from collections.abc import Iterable
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra import queues
from infra.api import Api
from infra.bucket import private_bucket
from infra.checks import nag
from infra.checks.loops import Participant
from infra.event_hub import EventHub
from infra.function import Function, functions_of
from infra.names import pascal
from infra.owned_table import OwnedTable
from infra.target import Target
from patterns.events import fault
from patterns.packages.package import Package
from patterns.rules import due, hold_back
from patterns.rules.stored_event import EXPIRE

# What a role may do, unless the package declares what it calls in `grants.py`.
# A command writes on condition and deletes nothing. It reads, consistently and therefore from no index, to check for a
# retry and to find an earlier revision.
COMMAND_ACTIONS: Final = ("ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem")
# Stores events, having asked what is newer, and what the rules need beside them.
LISTENER_ACTIONS: Final = ("PutItem", "Query", "UpdateItem")
DECIDING_ACTIONS: Final = ("GetItem", "PutItem", "Query")  # reads the history of an event, consistently: so no index
RESTORE_ACTIONS: Final = ("PutItem", "UpdateItem")  # a row that is not there, the ttl of one that is
SWEEP_ACTIONS: Final = (*DECIDING_ACTIONS, "DeleteItem")  # what is done is not due any more

# The changes of a table that reach the trigger. Filters are alternatives; a mapping may have five.
# https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
CHANGED: Final = (
    {"eventName": ["INSERT", "MODIFY"]},
    # Not the removal of a row that expired: that is nobody's deletion.
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-streams.html
    {"eventName": ["REMOVE"], "userIdentity": {"principalId": [{"exists": False}]}},
)
# Unless the row says that its expiry matters, by the type of an event or by True; `exists` works on leaves only.
EXPIRED: Final = tuple(
    {"eventName": ["REMOVE"], "dynamodb": {"OldImage": {EXPIRE: marked}}}
    for marked in ({"S": [{"exists": True}]}, {"BOOL": [True]})
)
FAILURES: Final = "aws/lambda"  # the folder in which Lambda puts batches that a trigger gave up on
EVERY: Final = Duration.minutes(1)


class Service(Construct):
    """An autonomous service, from what its package declares; `stream_first` allows its commands to publish, too.

    With a listener it is a control service: it subscribes to events of others and decides upon them. With a sweep it
    also decides when time has passed.
    """

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api, *, stream_first: bool = False) -> None:
        super().__init__(scope, name)
        package = Package("services", name)
        schemas = package.tables
        self._tables = {variable: OwnedTable(self, variable, schema) for variable, schema in schemas.items()}
        environment = {variable: table.table_name for variable, table in self._tables.items()}
        self.functions = functions = functions_of(self, package, environment)
        api.serve(package.routes, functions)
        published = frozenset((name, event_type) for event_type in package.types | {fault.TYPE})
        hub.join(Participant(name, subscribes=package.subscriptions, publishes=published))

        if command := functions.get("command"):
            self._grant(command, COMMAND_ACTIONS)
            if stream_first:
                hub.grant_publish(command, only={"source": name})
        if query := functions.get("query"):
            for table in self._tables.values():
                table.grant_read(query)
        if trigger := functions.get("trigger"):
            hub.grant_publish(trigger, only={"source": name})
            streamed = [self._tables[variable] for variable, schema in schemas.items() if schema.stream]
            self._follow(streamed, trigger, swept="sweep" in functions)
        listener = functions.get("listener")
        self.reader = hub.subscribe(self, listener, package.subscriptions) if listener else None
        if listener:
            self._grant(listener, LISTENER_ACTIONS)
        if listener and trigger:
            self._grant_decide(trigger, DECIDING_ACTIONS)
        if sweep := functions.get("sweep"):
            hub.grant_publish(sweep, only={"source": name, "detail-type": fault.TYPE})
            self._grant_decide(sweep, SWEEP_ACTIONS)
            self._run_each_minute(sweep)
        if restore := functions.get("restore"):
            self._grant(restore, RESTORE_ACTIONS)
            restoring = queues.feed(Construct(self, "Restoring"), restore, output=f"{pascal(name)}Restore")
            hub.restorers[package.restore_queue] = restoring.queue

    def _grant(self, function: Function, actions: Iterable[str]) -> None:
        for table in self._tables.values():
            table.grant_actions(function, *actions)

    def _grant_decide(self, function: Function, actions: Iterable[str]) -> None:
        self._grant(function, actions)
        function.handler.add_environment(hold_back.VARIABLE, str(Target.of(self).hold_back_seconds))

    def _run_each_minute(self, sweep: Function) -> None:
        """Call the sweep by a schedule. None is retried: the next one does what this one could not."""
        # EventBridge calls asynchronously: without this, Lambda itself would retry twice, at the same time as the next.
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        target = targets.LambdaFunction(sweep.handler, retry_attempts=0)
        events.Rule(self, "EachMinute", schedule=events.Schedule.rate(EVERY), targets=[target])

    def _follow(self, tables: list[OwnedTable], trigger: Function, *, swept: bool) -> None:
        """Bring the changes of tables to the trigger; batches that it cannot publish in time are kept, whole."""
        # S3: a queue or a topic would get only pointers into a stream that forgets within a day.
        failures = private_bucket(self, "Failures", unlogged=nag.FEW_READS)
        trigger.grant(["s3:ListBucket"], [failures.bucket_arn])
        trigger.grant(["s3:PutObject"], [failures.arn_for_objects(f"{FAILURES}/*")])
        nag.acknowledge_wildcard(trigger, f"<{nag.logical_id(failures)}.Arn>/{FAILURES}/*", nag.FAILURE_KEYS)
        for table in tables:
            _map(table, trigger, failures, [*(_without_due_times(table) if swept else CHANGED), *EXPIRED])


def _without_due_times(table: OwnedTable) -> list[dict[str, object]]:
    """Leave out the rows of due times: no event comes from their changes."""
    # Each partition by its name: a mapping's filters, unlike those of a rule, have no `anything-but` for a prefix.
    partitions = [due.partition_of(shard) for shard in range(due.SHARDS)]
    keys = {table.keys.partition: {"S": [{"anything-but": partitions}]}}
    return [{**changed, "dynamodb": {"Keys": keys}} for changed in CHANGED]


def _map(table: OwnedTable, trigger: Function, failures: s3.Bucket, filters: Iterable[object]) -> None:
    target = Target.of(table)
    mapping = lambda_.CfnEventSourceMapping
    patterns = [mapping.FilterProperty(pattern=json.dumps(pattern)) for pattern in filters]
    mapping(  # not the L2 construct: it grants the whole bucket for its S3 destination
        table,
        "Changes",
        function_name=trigger.handler.function_name,
        event_source_arn=table.grant_follow(trigger),
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
