"""The faults of all packages: a bucket, its listener, and a command that puts messages back on their queue."""

from collections.abc import Iterator

from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import OF_FAULTS, Watched
from andon.cdk.package_stack import tell
from andon.cdk.store import Store
from andon.stores.faults import store
from andon.wire.queue import name_of


class FaultStore(Store):
    """The faults of all packages; messages can go back to every reader of domain events, or of what things publish."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        super().__init__(scope, "faults", hub, api)

    def build(self) -> None:
        """Create bucket, functions and queue."""
        bucket = private_bucket(self.stack, "Bucket", unlogged=nag.FEW_FAULTS, keeps_days=store.KEEPS_DAYS)
        self.hub.buckets[store.BUCKET] = bucket
        tell(self.stack, "FaultsBucket", bucket.bucket_name, "the faults")
        functions = self.open({store.BUCKET: bucket.bucket_name}, output="Fault")
        self._command = functions["command"]
        self.listen_to_anybody()
        self._grant_bucket(bucket, functions)

    def connect(self) -> None:
        """Allow putting messages back on the readers' queues."""
        super().connect()
        self._command.handler.add_environment(store.QUEUE, self.reader.queue.queue_url)
        names = [*(name_of(reader.name) for reader in self.hub.readers), *self.hub.ingesting]
        queues = [*(reader.queue for reader in self.hub.readers), *self.hub.ingesting.values()]
        self._command.handler.add_environment(store.QUEUES, ",".join(names))
        self._command.grant(["sqs:SendMessage"], [queue.queue_arn for queue in queues])

    def signals(self) -> Iterator[Watched]:
        """Yield its queue."""
        yield self.reader, OF_FAULTS

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield the dashboard row of its queue."""
        yield dashboard.of_reader(self.reader)

    def _grant_bucket(self, bucket: s3.Bucket, functions: dict[str, Function]) -> None:
        faults, ids = bucket.arn_for_objects(f"{store.FAULTS}/*"), bucket.arn_for_objects(f"{store.IDS}/*")
        for function in functions.values():
            function.grant(["s3:GetObject"], [faults, ids])
        # To replace an object if it has not changed, S3 needs both permissions.
        # https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
        for function in (functions["listener"], functions["command"]):
            function.grant(["s3:PutObject"], [faults, ids])
        for function in (functions["query"], functions["command"]):
            # Without it S3 answers 403 instead of 404 for an object that does not exist.
            function.grant(["s3:ListBucket"], [bucket.bucket_arn])
        for folder in (store.FAULTS, store.IDS):
            nag.acknowledge_keys(self.stack, bucket, folder, nag.FAULT_KEYS)
