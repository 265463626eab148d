"""What compares the views with their events: a schedule and a queue for each, and a store of what was found."""

from typing import Final

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function, functions_of
from andon.cdk.names import pascal
from andon.cdk.queues import Batch
from andon.drift.recompute import queue_variable
from andon.packages.package import Package
from andon.recorded import archive as archive_contract
from andon.recorded import lake as lake_contract
from andon.stores.drift import store

EVERY: Final = Duration.hours(1)

# A message is a sixteenth of a view, and the table has others to serve.
ONE_BY_ONE: Final = Batch(size=1, at_a_time=2)


class Drift(Construct):
    """The store of what was found, and what is looked at in the views that the hub has so far."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api, *, lake: s3.Bucket, archive: s3.Bucket) -> None:
        package = Package("stores", "drift")
        super().__init__(scope, package.name)
        bucket = private_bucket(self, "Bucket", unlogged=nag.FEW_FINDINGS, keeps_days=store.KEEPS_DAYS)
        functions = functions_of(self, package, {store.BUCKET: bucket.bucket_name})
        api.serve(package.routes, functions)

        self.reader = queues.feed(self, functions["listener"], output="Drift")
        pattern = events.EventPattern(detail_type=sorted(event_type for _, event_type in package.subscriptions))
        hub.route(self, "FromAnybody", pattern, to=self.reader)
        hub.join(Participant(package.name, subscribes=package.subscriptions))  # and publishes nothing

        findings = bucket.arn_for_objects(f"{store.FOLDER}/*")
        functions["listener"].grant(["s3:PutObject"], [findings])
        functions["query"].grant(["s3:GetObject"], [findings])
        functions["query"].grant(["s3:ListBucket"], [bucket.bucket_arn])
        nag.acknowledge_wildcard(self, f"<{nag.logical_id(bucket)}.Arn>/{store.FOLDER}/*", nag.DRIFT_KEYS)
        for recompute in hub.recomputed:
            self._grant_past(recompute, lake, archive)
            self._ask(recompute, functions["command"])

    def _grant_past(self, recompute: Function, lake: s3.Bucket, archive: s3.Bucket) -> None:
        """Allow reading what was recorded of all that happened."""
        recorded = {
            lake_contract.BUCKET: (lake, lake_contract.EVENTS, nag.LAKE_KEYS),
            archive_contract.BUCKET: (archive, archive_contract.EQUIPMENT, nag.ARCHIVE_KEYS),
        }
        for variable, (bucket, folder, why) in recorded.items():
            recompute.handler.add_environment(variable, bucket.bucket_name)
            recompute.grant(["s3:GetObject"], [bucket.arn_for_objects(f"{folder}/*")])
            recompute.grant(["s3:ListBucket"], [bucket.bucket_arn])
            nag.acknowledge_wildcard(recompute, f"<{nag.logical_id(bucket)}.Arn>/{folder}/*", why)

    def _ask(self, recompute: Function, command: Function) -> None:
        """Look at some rows each hour, at all if a command asks for it, and again at what was doubtful."""
        name = recompute.package.name
        asking = Construct(self, pascal(name))
        queue = queues.feed(asking, recompute, output=f"{pascal(name)}Recompute", batch=ONE_BY_ONE).queue
        for sender in (recompute, command):
            sender.handler.add_environment(queue_variable(name), queue.queue_url)
            sender.grant(["sqs:SendMessage"], [queue.queue_arn])
        CfnOutput(Stack.of(self), f"{pascal(name)}Recompute", value=recompute.handler.function_name)
        # No run is retried: the next one draws other rows.
        recompute.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        target = targets.LambdaFunction(recompute.handler, retry_attempts=0)
        events.Rule(asking, "EachHour", schedule=events.Schedule.rate(EVERY), targets=[target])
