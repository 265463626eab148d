"""The lake: everything that goes over the bus, in a bucket that keeps it for ever."""

from collections.abc import Iterator

from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.bucket import append_only_bucket
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import OF_COPY, OF_LAKE, Watched
from andon.cdk.package_stack import tell
from andon.cdk.questions import Questions
from andon.cdk.queues import FEWEST, Batch
from andon.cdk.replica import LAKE, replicate
from andon.cdk.store import Store
from andon.cdk.target import Target
from andon.recorded import lake as lake_contract
from andon.stores.lake import batch, store


class Lake(Store):
    """A queue for everything, the listener that writes it to a bucket, and a way to ask it."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "lake", hub, api)

    def build(self) -> None:
        """Create listener, bucket and queue, and route everything to it."""
        target = Target.of(self.stack)
        size, window_seconds = target.lake_batch
        listener = self.open({}, output="Lake", batch=Batch(size, window_seconds, at_a_time=FEWEST))["listener"]
        bucket = append_only_bucket(
            self.stack,
            "Bucket",
            unlogged=nag.LAKE_READS,
            writer=listener.iam_role,
            replacing=True,
            lock_days=target.stage.lake_lock_days,
        )
        replicate(bucket, LAKE, in_time=True)
        self._bucket = self.hub.buckets[store.BUCKET] = bucket
        listener.handler.add_environment(store.BUCKET, bucket.bucket_name)
        tell(self.stack, "LakeBucket", bucket.bucket_name, "everything that went over the bus")
        self.hub.route_all_but_replayed(self.stack, to=self.reader)
        for folder in (lake_contract.EVENTS, batch.UNREADABLE):
            listener.grant(["s3:PutObject"], [bucket.arn_for_objects(f"{folder}/*")])
            nag.acknowledge_keys(self.stack, bucket, folder, nag.LAKE_KEYS)
        if target.asks_by_athena:
            Questions(self.stack, bucket)

    def signals(self) -> Iterator[Watched]:
        """Yield its queue and its copy."""
        yield self.reader, OF_LAKE
        yield self._bucket, OF_COPY

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield the dashboard row of the lake."""
        yield dashboard.of_reader(self.reader)
