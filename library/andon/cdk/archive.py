"""The archive: the lake's days by actor, in a bucket with a lifecycle, and the return of expired rows."""

from collections.abc import Iterator
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.bucket import tiered_bucket
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.operations import dashboard
from andon.cdk.package_stack import root_of, tell
from andon.cdk.replica import ARCHIVE, ReplicaStack, old_versions, replicate
from andon.cdk.store import Store
from andon.cdk.target import Target
from andon.packages.discovery import restorers_as_json
from andon.recorded import lake as lake_contract
from andon.stores.archive import rehydration, store

EVERY: Final = Duration.hours(1)


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
        self._bucket = tiered_bucket(place, "Bucket", unlogged=nag.ARCHIVE_READS, rules=rules, versioned=is_copied)
        replicate(self._bucket, ARCHIVE, in_time=False)
        if is_copied:
            ReplicaStack(root_of(self.stack), archive_rules=rules)
        self.hub.buckets[store.BUCKET] = self._bucket
        tell(self.stack, "ArchiveBucket", self._bucket.bucket_name, "the lake's days by actor")
        self._functions = self.open({store.BUCKET: self._bucket.bucket_name}, output="Archive")
        self._serve()
        for folder in self._folders:
            nag.acknowledge_keys(self.stack, self._bucket, folder, nag.ARCHIVE_KEYS)

    def connect(self) -> None:
        """Connect the sweep with the lake, and the listener with the queues of packages that rehydrate."""
        super().connect()
        self._sweep(self.hub.bucket(lake_contract.BUCKET))
        self._rehydrate()

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield a row about its queue."""
        yield dashboard.of_queue(self.reader)

    @property
    def _folders(self) -> list[str]:
        return [*(kind.name for kind in store.KINDS), store.REHYDRATIONS]

    def _sweep(self, lake: s3.Bucket) -> None:
        """Compact the lake each hour. No run is retried: the next one does the rest."""
        sweep = self._functions["sweep"]
        sweep.handler.add_environment(store.LAKE, lake.bucket_name)
        sweep.grant(["s3:GetObject"], [lake.arn_for_objects(f"{lake_contract.EVENTS}/*")])
        sweep.grant(["s3:ListBucket"], [lake.bucket_arn, self._bucket.bucket_arn])
        nag.acknowledge_keys(self.stack, lake, lake_contract.EVENTS, nag.LAKE_KEYS)
        for kind in store.KINDS:
            sweep.grant(["s3:GetObject", "s3:PutObject"], [self._objects(kind.name)])
            sweep.grant(["s3:DeleteObject"], [self._objects(f"{kind.name}/data")])
            nag.acknowledge_keys(self.stack, self._bucket, f"{kind.name}/data", nag.ARCHIVE_KEYS)
        tell(self.stack, "ArchiveSweep", sweep.handler.function_name, "the hourly sweep")
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        target = targets.LambdaFunction(sweep.handler, retry_attempts=0)
        events.Rule(self.stack, "EachHour", schedule=events.Schedule.rate(EVERY), targets=[target])

    def _serve(self) -> None:
        query, command = self._functions["query"], self._functions["command"]
        query.grant(["s3:GetObject"], [self._objects(folder) for folder in self._folders])
        command.grant(["s3:PutObject"], [self._objects(store.REHYDRATIONS)])
        for function in (query, command):
            function.grant(["s3:ListBucket"], [self._bucket.bucket_arn])
        command.handler.add_environment(rehydration.QUEUE, self.reader.queue.queue_url)
        command.grant(["sqs:SendMessage"], [self.reader.queue.queue_arn])

    def _rehydrate(self) -> None:
        """Let the listener send to the queues of packages that rehydrate, and to no bus."""
        listener, restorers = self._functions["listener"], sorted(self.hub.restorers.items())
        listener.handler.add_environment(rehydration.RESTORERS, restorers_as_json())
        listener.handler.add_environment(rehydration.QUEUE, self.reader.queue.queue_url)
        listener.grant(["sqs:SendMessage"], [queue.queue_arn for _, queue in restorers])
        listener.grant(["s3:GetObject"], [self._objects(store.SUBJECTS.name), self._objects(store.REHYDRATIONS)])
        listener.grant(["s3:PutObject"], [self._objects(store.REHYDRATIONS)])
        # Without it S3 answers 403 instead of 404 for an object that does not exist.
        listener.grant(["s3:ListBucket"], [self._bucket.bucket_arn])

    def _objects(self, folder: str) -> str:
        return self._bucket.arn_for_objects(f"{folder}/*")

    def _rules(self) -> list[s3.LifecycleRule]:
        """Return the lifecycle rules: when data move to a colder class, and when all objects of a kind expire.

        S3 leaves objects below 128 KB where they are: there they would cost more.
        https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
        """
        cold = s3.StorageClass.GLACIER_INSTANT_RETRIEVAL  # ranges are read from it as from any other
        kinds = store.KINDS
        moving = [
            s3.LifecycleRule(
                prefix=f"{kind.name}/data/",
                transitions=[s3.Transition(storage_class=cold, transition_after=Duration.days(kind.cold_after_days))],
            )
            for kind in kinds
        ]
        keeps = {kind.name: kind.keeps_days for kind in kinds} | {store.REHYDRATIONS: store.REHYDRATIONS_KEEP_DAYS}
        expiring = [s3.LifecycleRule(prefix=f"{folder}/", expiration=Duration.days(d)) for folder, d in keeps.items()]
        return [*moving, *expiring]
