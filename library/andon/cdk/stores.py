"""The library's stores, but for the lake: faults, findings of drift, replays, and the archive."""

from collections.abc import Iterator, Mapping
from typing import Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.buckets import DELETE, READ, WRITE, DeclaredBucket, Use, tiered_bucket
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import OF_FAULTS, OF_LISTENER, OF_REPLAYS, Watched
from andon.cdk.owned_table import OwnedTable
from andon.cdk.package_stack import add_output, root_of
from andon.cdk.part import Part
from andon.cdk.queues import SOON, Batch, Reader
from andon.cdk.replica import ARCHIVE_COPY, ReplicaStack, old_versions, replicate
from andon.cdk.target import Target
from andon.drift.recompute import queue_variable
from andon.packages.discovery import restorers_as_json, views_as_json
from andon.packages.package import Package
from andon.project import project
from andon.recorded import lake as lake_contract
from andon.stores.archive import rehydration
from andon.stores.archive import store as archive
from andon.stores.drift import store as findings
from andon.stores.faults import store as faults
from andon.stores.lake.batch import UNREADABLE
from andon.stores.replays import store as jobs
from andon.wire import queue
from andon.wire.queue import name_of

# The buckets of the stores, and what each of their functions may do with what is in them.

LAKE: Final = DeclaredBucket(
    variable=lake_contract.BUCKET,
    holds="everything that went over the bus",
    unlogged="read by queries, which are logged as such: CloudTrail data events say more than S3's logs",
    keys="an object's key ends in a digest of what is in it, below a fixed prefix of the lake's bucket",
    uses=(Use(("listener",), (lake_contract.EVENTS, UNREADABLE), (WRITE,)),),
)
FAULTS: Final = DeclaredBucket(
    variable=faults.BUCKET,
    holds="the faults",
    unlogged="read by admins, whose requests the API logs: CloudTrail data events say more than S3's logs",
    keys="an object's key ends in the id of its fault, below a fixed prefix of the bucket of faults",
    uses=(
        Use(("listener", "command"), (faults.FAULTS, faults.IDS), (READ, WRITE)),
        Use(("query",), (faults.FAULTS, faults.IDS), (READ,)),
    ),
    looks=("query", "command"),
    keeps_days=faults.KEEPS_DAYS,
)
FINDINGS: Final = DeclaredBucket(
    variable=findings.BUCKET,
    holds="the findings",
    unlogged="read by auditors, whose requests the API logs: CloudTrail data events say more than S3's logs",
    keys="an object's key ends in the id of its finding, below a fixed prefix of the bucket of findings",
    uses=(Use(("listener",), (findings.FOLDER,), (WRITE,)), Use(("query",), (findings.FOLDER,), (READ,))),
    looks=("query",),
    keeps_days=findings.KEEPS_DAYS,
)
_KINDS: Final = tuple(kind.name for kind in archive.KINDS)
ARCHIVE: Final = DeclaredBucket(
    variable=archive.BUCKET,
    holds="the lake's days by actor",
    unlogged="read by auditors, whose requests the API logs: CloudTrail data events say more than S3's logs",
    keys="an object's key names a day and a digest, below a fixed prefix of the archive's bucket",
    uses=(
        Use(("query",), (*_KINDS, archive.REHYDRATIONS), (READ,)),
        Use(("command",), (archive.REHYDRATIONS,), (WRITE,)),
        Use(("listener",), (archive.SUBJECTS.name, archive.REHYDRATIONS), (READ,)),
        Use(("listener",), (archive.REHYDRATIONS,), (WRITE,)),
        Use(("sweep",), _KINDS, (READ, WRITE)),
        Use(("sweep",), tuple(f"{kind}/data" for kind in _KINDS), (DELETE,)),
    ),
    looks=("query", "command", "listener", "sweep"),
)

# A store: what all of the library's stores have in common.

_LOOKS_EVERY: Final = Duration.hours(1)


class Store(Part):
    """A store by its name, with a listener; it publishes nothing."""

    reader: Reader

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api) -> None:
        super().__init__(scope, Package("stores", name), hub, api)

    def signals(self) -> Iterator[Watched]:
        """Yield its queue."""
        yield self.reader, OF_LISTENER

    def open(self, environment: Mapping[str, str], *, output: str, batch: Batch = SOON) -> dict[str, Function]:
        """Create and serve the functions, and the listener's queue, with outputs that begin with `output`."""
        functions = self.create_functions(environment)
        self.serve(functions)
        self.reader = queues.feed(self.stack, functions["listener"], output=output, batch=batch)
        if self.package.subscriptions:
            self.hub.join(Participant(self.package.name, subscribes=self.package.subscriptions))
        return functions

    def listen_to_anybody(self) -> None:
        """Bring the types of events that it subscribes to, of any publisher, to its queue."""
        queues.let_put_back(self.reader)
        pattern = events.EventPattern(detail_type=sorted(event_type for _, event_type in self.package.subscriptions))
        self.hub.route(self.stack, "FromAnybody", pattern, to=self.reader)


# The faults of all packages: a bucket, its listener, and a command that puts messages back on their queue.


class FaultStore(Store):
    """The faults of all packages; messages can go back to every reader of domain events, or of things' messages."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "faults", hub, api)

    def build(self) -> None:
        """Create bucket, functions and queue."""
        functions = self.open({}, output="Fault")
        self._command = functions["command"]
        self.listen_to_anybody()
        self.hub.buckets[faults.BUCKET] = FAULTS.create(self.stack, functions)

    def connect(self) -> None:
        """Allow putting messages back on the readers' queues."""
        super().connect()
        self._command.handler.add_environment(faults.QUEUE, self.reader.queue.queue_url)
        names = [*(name_of(reader.name) for reader in self.hub.readers), *self.hub.ingesting]
        queues = [*(reader.queue for reader in self.hub.readers), *self.hub.ingesting.values()]
        self._command.handler.add_environment(faults.QUEUES, ",".join(names))
        self._command.grant(["sqs:SendMessage"], [queue.queue_arn for queue in queues])

    def signals(self) -> Iterator[Watched]:
        """Yield its queue."""
        yield self.reader, OF_FAULTS

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield the dashboard row of its queue."""
        yield dashboard.of_reader(self.reader)


# Drift: a schedule and a queue for each view that is compared with its events, and a store of the findings.

# A message is a sixteenth of a view, and the table has others to serve.
_ONE_BY_ONE: Final = Batch(size=1, at_a_time=2)


class Drift(Store):
    """The store of findings, and the comparison of each view that declares one."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "drift", hub, api)

    def build(self) -> None:
        """Create bucket, functions and queue."""
        functions = self.open({}, output="Drift")
        self._command = functions["command"]
        self.listen_to_anybody()
        bucket = self.hub.buckets[findings.BUCKET] = FINDINGS.create(self.stack, functions)
        self._command.handler.add_environment(findings.BUCKET, bucket.bucket_name)

    def connect(self) -> None:
        """Let each view be compared with lake and archive."""
        super().connect()
        views = ",".join(recompute.package.name for recompute in self.hub.recomputed)
        self._command.handler.add_environment(findings.QUEUE, self.reader.queue.queue_url)
        self._command.handler.add_environment(findings.RECOMPUTED, views)
        for recompute in self.hub.recomputed:
            self._grant_past(recompute)
            self._ask(recompute)

    def _grant_past(self, recompute: Function) -> None:
        """Allow reading the archive and the lake."""
        for recorded, folder in ((LAKE, lake_contract.EVENTS), (ARCHIVE, project().subjects.name)):
            recorded.let_read(recompute, self.hub.bucket(recorded.variable), folder)

    def _ask(self, recompute: Function) -> None:
        """Look at some rows each hour, at all if a command asks for it, and again at doubtful ones.

        Queue and schedule stand in the view's template: so this one refers to it, and not each to the other.
        """
        name = recompute.package.name
        asking = Construct(Stack.of(recompute), "Recomputing")
        output = f"{pascal(name)}Recompute"
        asked = queues.feed(asking, recompute, output=output, batch=_ONE_BY_ONE, purpose=queue.RECOMPUTE).queue
        recompute.handler.add_environment(queue_variable(name), asked.queue_url)
        recompute.let_feed_itself(asked)
        self._command.grant(["sqs:SendMessage"], [asked.queue_arn])
        add_output(asking, f"{pascal(name)}Recompute", recompute.handler.function_name, "a comparison with past events")
        # No run is retried: the next one draws other rows.
        recompute.handler.configure_async_invoke(retry_attempts=0, max_event_age=_LOOKS_EVERY)
        target = targets.LambdaFunction(recompute.handler, retry_attempts=0)
        events.Rule(asking, "EachHour", schedule=events.Schedule.rate(_LOOKS_EVERY), targets=[target])


# Replays: jobs that send the lake's events to the queue of one view again.


class Replays(Store):
    """A table of jobs, their routes, and a queue of work to be done."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "replays", hub, api)

    def build(self) -> None:
        """Create table, functions and queue."""
        [(variable, schema)] = self.package.tables.items()
        table = OwnedTable(self.stack, variable, schema)
        self._functions = self.open({variable: table.table_name}, output=pascal(self.package.name))
        table.grant_actions(self._functions["query"], "GetItem", "Query")
        table.grant_actions(self._functions["command"], "GetItem", "PutItem", "Query", "UpdateItem")
        table.grant_actions(self._functions["listener"], "GetItem", "Query", "UpdateItem")

    def connect(self) -> None:
        """Allow listing the lake's days, and sending events to the queues of views."""
        super().connect()
        readers = [reader for reader in self.hub.readers if reader.listener.package.side == "views"]
        views = views_as_json(reader.listener.package for reader in readers)
        for role in ("command", "listener"):
            self._grant_ask(self._functions[role], views)
        self._functions["command"].grant(["sqs:SendMessage"], [self.reader.queue.queue_arn])
        listener, lake = self._functions["listener"], self.hub.bucket(jobs.BUCKET)
        LAKE.allow(listener, lake, [lake_contract.EVENTS], READ, variable=jobs.BUCKET)
        listener.let_feed_itself(self.reader.queue)
        for reader in readers:  # of no service, and no bus
            listener.grant(["sqs:SendMessage"], [reader.queue.queue_arn])

    def signals(self) -> Iterator[Watched]:
        """Yield its queue."""
        yield self.reader, OF_REPLAYS

    def _grant_ask(self, function: Function, views: str) -> None:
        """Allow listing the lake, and asking for its events."""
        handler, lake = function.handler, self.hub.bucket(jobs.BUCKET)
        handler.add_environment(jobs.BUCKET, lake.bucket_name)
        handler.add_environment(jobs.VIEWS, views)
        handler.add_environment(jobs.SETTLES, str(Target.of(self.stack).lake_settles_seconds))
        handler.add_environment(jobs.QUEUE, self.reader.queue.queue_url)
        function.grant(["s3:ListBucket"], [lake.bucket_arn])


# The archive: the lake's days by actor, in a bucket with a lifecycle, and the return of expired rows.


class Archive(Store):
    """An hourly sweep from the lake to a bucket, its routes, and a queue for rehydrations."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "archive", hub, api)

    def build(self) -> None:
        """Create bucket, functions and queue.

        The bucket stands in the root stack: views read it, and the listener here sends to their queues. Two nested
        stacks cannot refer to each other.
        """
        place = Construct(root_of(self.stack), "Archive")
        is_copied = Target.of(place).stage.replica_region is not None
        rules = [*self._rules(), old_versions()] if is_copied else self._rules()
        self._bucket = tiered_bucket(place, "Bucket", unlogged=ARCHIVE.unlogged, rules=rules, versioned=is_copied)
        replicate(self._bucket, ARCHIVE_COPY, in_time=False)
        if is_copied:
            ReplicaStack(root_of(self.stack), archive_rules=rules)
        self.hub.buckets[archive.BUCKET] = self._bucket
        self._functions = self.open({}, output="Archive")

    def connect(self) -> None:
        """Connect the sweep with the lake, and the listener with the queues of packages that rehydrate."""
        self._sweep(self.hub.bucket(lake_contract.BUCKET))
        self._rehydrate()
        ARCHIVE.let(self._functions, self._bucket, told=self.stack)
        command = self._functions["command"]
        command.handler.add_environment(rehydration.QUEUE, self.reader.queue.queue_url)
        command.grant(["sqs:SendMessage"], [self.reader.queue.queue_arn])
        super().connect()

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield a row about its queue."""
        yield dashboard.of_queue(self.reader)

    def _sweep(self, lake: s3.Bucket) -> None:
        """Compact the lake each hour. No run is retried: the next one does the rest."""
        sweep = self._functions["sweep"]
        LAKE.let_read(sweep, lake, lake_contract.EVENTS, variable=archive.LAKE)
        add_output(self.stack, "ArchiveSweep", sweep.handler.function_name, "the hourly sweep")
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=_LOOKS_EVERY)
        target = targets.LambdaFunction(sweep.handler, retry_attempts=0)
        events.Rule(self.stack, "EachHour", schedule=events.Schedule.rate(_LOOKS_EVERY), targets=[target])

    def _rehydrate(self) -> None:
        """Let the listener send to the queues of packages that rehydrate, and to no bus."""
        listener, restorers = self._functions["listener"], sorted(self.hub.restorers.items())
        listener.handler.add_environment(rehydration.RESTORERS, restorers_as_json())
        listener.handler.add_environment(rehydration.QUEUE, self.reader.queue.queue_url)
        listener.grant(["sqs:SendMessage"], [queue.queue_arn for _, queue in restorers])

    def _rules(self) -> list[s3.LifecycleRule]:
        """Return the lifecycle rules: when data move to a colder class, and when all objects of a kind expire.

        S3 leaves objects below 128 KB where they are: there they would cost more.
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
        """
        cold = s3.StorageClass.GLACIER_INSTANT_RETRIEVAL  # ranges are read from it as from any other
        kinds = archive.KINDS
        moving = [
            s3.LifecycleRule(
                prefix=f"{kind.name}/data/",
                transitions=[s3.Transition(storage_class=cold, transition_after=Duration.days(kind.cold_after_days))],
            )
            for kind in kinds
        ]
        keeps = {kind.name: kind.keeps_days for kind in kinds} | {archive.REHYDRATIONS: archive.REHYDRATIONS_KEEP_DAYS}
        expiring = [s3.LifecycleRule(prefix=f"{folder}/", expiration=Duration.days(d)) for folder, d in keeps.items()]
        return [*moving, *expiring]
