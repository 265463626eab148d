"""Drift: a schedule and a queue for each view that is compared with its events, and a store of the findings."""

from typing import Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import tell
from andon.cdk.queues import Batch
from andon.cdk.store import Store
from andon.drift.recompute import queue_variable
from andon.project import project
from andon.recorded import archive as archive_contract
from andon.recorded import lake as lake_contract
from andon.stores.drift import store
from andon.wire import queue

EVERY: Final = Duration.hours(1)

# A message is a sixteenth of a view, and the table has others to serve.
ONE_BY_ONE: Final = Batch(size=1, at_a_time=2)


class Drift(Store):
    """The store of findings, and the comparison of each view that declares one."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "drift", hub, api)

    def build(self) -> None:
        """Create bucket, functions and queue."""
        bucket = private_bucket(self.stack, "Bucket", unlogged=nag.FEW_FINDINGS, keeps_days=store.KEEPS_DAYS)
        self.hub.buckets[store.BUCKET] = bucket
        tell(self.stack, "DriftBucket", bucket.bucket_name, "the findings")
        functions = self.open({store.BUCKET: bucket.bucket_name}, output="Drift")
        self._command = functions["command"]
        self.listen_to_anybody()
        findings = bucket.arn_for_objects(f"{store.FOLDER}/*")
        functions["listener"].grant(["s3:PutObject"], [findings])
        functions["query"].grant(["s3:GetObject"], [findings])
        functions["query"].grant(["s3:ListBucket"], [bucket.bucket_arn])
        nag.acknowledge_keys(self.stack, bucket, store.FOLDER, nag.DRIFT_KEYS)

    def connect(self) -> None:
        """Let each view be compared with lake and archive."""
        super().connect()
        views = ",".join(recompute.package.name for recompute in self.hub.recomputed)
        self._command.handler.add_environment(store.QUEUE, self.reader.queue.queue_url)
        self._command.handler.add_environment(store.RECOMPUTED, views)
        for recompute in self.hub.recomputed:
            self._grant_past(recompute)
            self._ask(recompute)

    def _grant_past(self, recompute: Function) -> None:
        """Allow reading the archive and the lake."""
        subject = project().subjects.name
        recorded = {
            lake_contract.BUCKET: (lake_contract.EVENTS, nag.LAKE_KEYS),
            archive_contract.BUCKET: (subject, nag.ARCHIVE_KEYS),
        }
        for variable, (folder, why) in recorded.items():
            bucket = self.hub.bucket(variable)
            recompute.handler.add_environment(variable, bucket.bucket_name)
            recompute.grant(["s3:GetObject"], [bucket.arn_for_objects(f"{folder}/*")])
            recompute.grant(["s3:ListBucket"], [bucket.bucket_arn])
            nag.acknowledge_keys(recompute, bucket, folder, why)

    def _ask(self, recompute: Function) -> None:
        """Look at some rows each hour, at all if a command asks for it, and again at what was doubtful.

        Queue and schedule stand in the view's template: so this one refers to it, and not each to the other.
        """
        name = recompute.package.name
        asking = Construct(Stack.of(recompute), "Recomputing")
        output = f"{pascal(name)}Recompute"
        asked = queues.feed(asking, recompute, output=output, batch=ONE_BY_ONE, purpose=queue.RECOMPUTE).queue
        recompute.handler.add_environment(queue_variable(name), asked.queue_url)
        recompute.let_feed_itself(asked)
        self._command.grant(["sqs:SendMessage"], [asked.queue_arn])
        tell(asking, f"{pascal(name)}Recompute", recompute.handler.function_name, "a comparison with past events")
        # No run is retried: the next one draws other rows.
        recompute.handler.configure_async_invoke(retry_attempts=0, max_event_age=EVERY)
        target = targets.LambdaFunction(recompute.handler, retry_attempts=0)
        events.Rule(asking, "EachHour", schedule=events.Schedule.rate(EVERY), targets=[target])
