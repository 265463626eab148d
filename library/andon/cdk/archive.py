"""The archive: the lake's days by actor, in a bucket with a lifecycle, and what brings back what expired."""

from typing import Final

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.bucket import tiered_bucket
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function, functions_of
from andon.packages.discovery import restorers_as_json
from andon.packages.package import Package
from andon.recorded import lake as lake_contract
from andon.stores.archive import store

EVERY: Final = Duration.hours(1)

QUEUE: Final = "ARCHIVE_QUEUE_URL"
RESTORERS: Final = "RESTORERS"


class Archive(Construct):
    """An hourly sweep from the lake to a bucket, its routes, and a queue for what is to come back."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api, *, lake: s3.Bucket) -> None:
        package = Package("stores", "archive")
        super().__init__(scope, package.name)
        self.bucket = tiered_bucket(self, "Bucket", unlogged=nag.ARCHIVE_READS, rules=_rules())
        CfnOutput(Stack.of(self), "ArchiveBucket", value=self.bucket.bucket_name)
        functions = functions_of(self, package, {store.BUCKET: self.bucket.bucket_name})
        api.serve(package.routes, functions)

        self.reader = queues.feed(self, functions["listener"], output="Archive")
        self._sweep(functions["sweep"], lake)
        self._serve(functions["query"], functions["command"])
        self._rehydrate(functions["listener"], hub)
        for folder in _folders():
            self._acknowledge(self.bucket, f"{folder}/*", nag.ARCHIVE_KEYS)

    def _sweep(self, sweep: Function, lake: s3.Bucket) -> None:
        """Compact the lake each hour. No run is retried: the next one does what this one could not."""
        events_ = f"{lake_contract.EVENTS}/*"
        sweep.handler.add_environment(store.LAKE, lake.bucket_name)
        sweep.grant(["s3:GetObject"], [lake.arn_for_objects(events_)])
        sweep.grant(["s3:ListBucket"], [lake.bucket_arn, self.bucket.bucket_arn])
        self._acknowledge(lake, events_, nag.LAKE_KEYS)
        for kind in store.KINDS:
            sweep.grant(["s3:GetObject", "s3:PutObject"], [self._objects(kind.name)])
            sweep.grant(["s3:DeleteObject"], [self._objects(f"{kind.name}/data")])
            self._acknowledge(self.bucket, f"{kind.name}/data/*", nag.ARCHIVE_KEYS)
        CfnOutput(Stack.of(self), "ArchiveSweep", value=sweep.handler.function_name)
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        target = targets.LambdaFunction(sweep.handler, retry_attempts=0)
        events.Rule(self, "EachHour", schedule=events.Schedule.rate(EVERY), targets=[target])

    def _serve(self, query: Function, command: Function) -> None:
        query.grant(["s3:GetObject"], [self._objects(folder) for folder in _folders()])
        command.grant(["s3:PutObject"], [self._objects(store.REHYDRATIONS)])
        for function in (query, command):
            function.grant(["s3:ListBucket"], [self.bucket.bucket_arn])
        command.handler.add_environment(QUEUE, self.reader.queue.queue_url)
        command.grant(["sqs:SendMessage"], [self.reader.queue.queue_arn])

    def _rehydrate(self, listener: Function, hub: EventHub) -> None:
        """Let the listener send to the queues of those who bring back what they kept, and to no bus."""
        listener.handler.add_environment(RESTORERS, restorers_as_json())
        for variable, queue in hub.restorers.items():
            listener.handler.add_environment(variable, queue.queue_url)
        listener.grant(["sqs:SendMessage"], [queue.queue_arn for queue in hub.restorers.values()])
        listener.grant(["s3:GetObject"], [self._objects(store.EQUIPMENT.name), self._objects(store.REHYDRATIONS)])
        listener.grant(["s3:PutObject"], [self._objects(store.REHYDRATIONS)])
        # Without it S3 answers 403 instead of 404 for an object that does not exist.
        listener.grant(["s3:ListBucket"], [self.bucket.bucket_arn])

    def _objects(self, folder: str) -> str:
        return self.bucket.arn_for_objects(f"{folder}/*")

    def _acknowledge(self, bucket: s3.Bucket, keys: str, reason: str) -> None:
        nag.acknowledge_wildcard(self, f"<{nag.logical_id(bucket)}.Arn>/{keys}", reason)


def _folders() -> list[str]:
    return [*(kind.name for kind in store.KINDS), store.REHYDRATIONS]


def _rules() -> list[s3.LifecycleRule]:
    """Return when data move and when all of a kind expires.

    S3 leaves objects below 128 KB where they are: there they would cost more.
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-transition-general-considerations.html
    """
    cold = s3.StorageClass.GLACIER_INSTANT_RETRIEVAL  # ranges are read from it as from any other
    moving = [
        s3.LifecycleRule(
            prefix=f"{kind.name}/data/",
            transitions=[s3.Transition(storage_class=cold, transition_after=Duration.days(kind.cold_after_days))],
        )
        for kind in store.KINDS
    ]
    keeps = {**{kind.name: kind.keeps_days for kind in store.KINDS}, store.REHYDRATIONS: store.REHYDRATIONS_KEEP_DAYS}
    expiring = [s3.LifecycleRule(prefix=f"{folder}/", expiration=Duration.days(d)) for folder, d in keeps.items()]
    return [*moving, *expiring]
