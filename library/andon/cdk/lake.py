"""The lake: everything that goes over the bus, in a bucket that keeps it for ever."""

from typing import Final

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from andon.cdk import queues
from andon.cdk.bucket import append_only_bucket
from andon.cdk.checks import nag
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import functions_of
from andon.cdk.queues import Batch
from andon.cdk.target import Target
from andon.packages.package import Package
from andon.recorded.lake import EVENTS
from andon.stores.lake import objects, store

# The least that SQS allows: thousands of events a second, in few and large objects.
FEWEST: Final = 2


class Lake(Construct):
    """A queue for everything, and the listener that writes it to the bucket, which is an attribute."""

    def __init__(self, scope: Construct, hub: EventHub) -> None:
        package, target = Package("stores", "lake"), Target.of(scope)
        super().__init__(scope, package.name)
        listener = functions_of(self, package, {})["listener"]
        self.bucket = append_only_bucket(
            self, "Bucket", unlogged=nag.LAKE_READS, writer=listener.iam_role, lock_days=target.lake_lock_days
        )
        listener.handler.add_environment(store.BUCKET, self.bucket.bucket_name)
        CfnOutput(Stack.of(self), "LakeBucket", value=self.bucket.bucket_name)

        size, window_seconds = target.lake_batch
        batch = Batch(size, window_seconds, at_a_time=FEWEST)
        self.reader = queues.feed(self, listener, output="Lake", batch=batch)
        hub.route_all_but_replayed(self, to=self.reader)
        hub.join(Participant(package.name, subscribes=package.subscriptions))  # and publishes nothing

        folders = (EVENTS, objects.UNREADABLE)
        listener.grant(["s3:PutObject"], [self.bucket.arn_for_objects(f"{folder}/*") for folder in folders])
        for folder in folders:
            resource = f"<{nag.logical_id(self.bucket)}.Arn>/{folder}/*"
            nag.acknowledge_wildcard(self, resource, nag.LAKE_KEYS)
