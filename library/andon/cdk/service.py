"""A write side: the tables it owns, a function for each handler file, and how its changes reach the bus."""

from collections.abc import Iterable, Iterator
from typing import Final

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.changes import CHANGED, failure_store, follow
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function, functions_of
from andon.cdk.names import FAILURES_BUCKET, TRIGGER, pascal
from andon.cdk.owned_table import OwnedTable
from andon.cdk.target import Target
from andon.cdk.throttles import throttles_of
from andon.events import fault
from andon.http import shares
from andon.packages.discovery import role_of
from andon.packages.package import Package
from andon.rules import due, hold_back
from andon.rules.stored_event import EXPIRE
from andon.rules.sweep import ALL_SHARDS, SHARDS

# What a role may do, unless the package declares in GRANTS what it calls.
# A command writes on condition and deletes nothing. It reads, consistently and therefore from no index, to check for a
# retry and to find an earlier revision.
COMMAND_ACTIONS: Final = ("ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem")
# Stores events, having asked what is newer, and what the rules need beside them.
LISTENER_ACTIONS: Final = ("PutItem", "Query", "UpdateItem")
DECIDING_ACTIONS: Final = ("GetItem", "PutItem", "Query")  # reads the history of an event, consistently: so no index
RESTORE_ACTIONS: Final = ("PutItem", "UpdateItem")  # a row that is not there, the ttl of one that is
SWEEP_ACTIONS: Final = (*DECIDING_ACTIONS, "DeleteItem")  # what is done is not due any more

# Of rows that expired, those that say by a type of event, or by True, that it matters; `exists` works on leaves only.
EXPIRED: Final = tuple(
    {"eventName": ["REMOVE"], "dynamodb": {"OldImage": {EXPIRE: marked}}}
    for marked in ({"S": [{"exists": True}]}, {"BOOL": [True]})
)
EVERY: Final = Duration.minutes(1)

# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
TARGETS_OF_RULE: Final = 5


class Service(Construct):
    """An autonomous service, from what its package declares; `stream_first` allows its commands to publish, too.

    With a listener it keeps something of events of others. With a `control.py` it is a control service: its trigger
    decides upon them, and its sweep when time has passed.
    """

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api, *, stream_first: bool = False) -> None:
        super().__init__(scope, name)
        package = Package("services", name)
        schemas = package.tables
        self._tables = {variable: OwnedTable(self, variable, schema) for variable, schema in schemas.items()}
        environment = {variable: table.table_name for variable, table in self._tables.items()}
        self.functions = functions = functions_of(self, package, environment)
        self._serve(package, api)
        published = frozenset((name, event_type) for event_type in package.types | {fault.TYPE})
        hub.join(Participant(name, package.subscriptions, published, package.latched))
        # The other versions of the service, whose edits cross into it.
        self.versions = sorted({source for source, _ in package.latched})

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
        if package.has("control"):
            self._hold_back(functions["listener"])  # it settles what is late, and what follows what
            self._grant_decide(functions["trigger"], DECIDING_ACTIONS)
        if sweep := functions.get("sweep"):
            hub.grant_publish(sweep, only={"source": name, "detail-type": fault.TYPE})
            self._grant_decide(sweep, SWEEP_ACTIONS)
            self._run_each_minute(sweep)
        if restore := functions.get("restore"):
            self._grant(restore, RESTORE_ACTIONS)
            restoring = queues.feed(Construct(self, "Restoring"), restore, output=f"{pascal(name)}Restore")
            hub.restorers[package.restore_queue] = restoring.queue

    def _serve(self, package: Package, api: Api) -> None:
        """Serve the routes; of those that are shared out the function refuses whoever exceeds its share."""
        target = Target.of(self)
        for role in {role_of(route) for route in package.shared}:
            self.functions[role].handler.add_environment(shares.VARIABLE, str(target.reports_of_one))
        throttles = throttles_of(package, reports=target.reports, quotas=target.quotas)
        api.serve(package.routes, self.functions, throttles=throttles)

    def _grant(self, function: Function, actions: Iterable[str]) -> None:
        for table in self._tables.values():
            table.grant_actions(function, *actions)

    def _grant_decide(self, function: Function, actions: Iterable[str]) -> None:
        self._grant(function, actions)
        self._hold_back(function)

    def _hold_back(self, function: Function) -> None:
        function.handler.add_environment(hold_back.VARIABLE, str(Target.of(self).hold_back_seconds))

    def _run_each_minute(self, sweep: Function) -> None:
        """Call the sweep by a schedule. None is retried: the next one does what this one could not."""
        # EventBridge calls asynchronously: without this, Lambda itself would retry twice, at the same time as the next.
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        each_minute = events.Schedule.rate(EVERY)
        if not Target.of(self).sweeps_shards_apart:
            target = targets.LambdaFunction(sweep.handler, retry_attempts=0)
            events.Rule(self, "EachMinute", schedule=each_minute, targets=[target])
            return
        sharing = [*_sharing(sweep, Target.of(self).sweeps_at_once)]
        for first in range(0, len(sharing), TARGETS_OF_RULE):
            name = f"EachMinute{first or ''}"
            events.Rule(self, name, schedule=each_minute, targets=sharing[first : first + TARGETS_OF_RULE])

    def _follow(self, tables: list[OwnedTable], trigger: Function, *, swept: bool) -> None:
        """Bring the changes of tables to the trigger; batches that it cannot publish in time are kept, whole."""
        failures, name = failure_store(self, trigger), pascal(trigger.package.name)
        CfnOutput(Stack.of(self), f"{name}{TRIGGER}", value=trigger.handler.function_name)
        CfnOutput(Stack.of(self), f"{name}{FAILURES_BUCKET}", value=failures.bucket_name)
        for table in tables:
            follow(table, trigger, failures, [*(_without_due_times(table) if swept else CHANGED), *EXPIRED])


def _sharing(sweep: Function, at_once: int) -> Iterator[events.IRuleTarget]:
    """Yield targets that share the shards: invocations at the same time."""
    for first in range(at_once):
        named = events.RuleTargetInput.from_object({SHARDS: [*ALL_SHARDS[first::at_once]]})
        yield targets.LambdaFunction(sweep.handler, event=named, retry_attempts=0)


def _without_due_times(table: OwnedTable) -> list[dict[str, object]]:
    """Leave out the rows of due times: no event comes from their changes."""
    # Each partition by its name: a mapping's filters, unlike those of a rule, have no `anything-but` for a prefix.
    partitions = [due.partition_of(shard) for shard in range(due.READ_SHARDS)]
    keys = {table.keys.partition: {"S": [{"anything-but": partitions}]}}
    return [{**changed, "dynamodb": {"Keys": keys}} for changed in CHANGED]
