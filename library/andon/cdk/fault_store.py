"""Where faults are kept: a bucket, the listener that fills it, and a command that puts messages back on their queue."""

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function, functions_of
from andon.cdk.queues import Reader
from andon.packages.package import Package
from andon.stores.faults import store


class FaultStore(Construct):
    """The faults of all packages; messages can go back to the readers that the hub has so far."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        package = Package("stores", "faults")
        super().__init__(scope, package.name)
        bucket = private_bucket(self, "Bucket", unlogged=nag.FEW_FAULTS, keeps_days=store.KEEPS_DAYS)
        CfnOutput(Stack.of(self), "FaultsBucket", value=bucket.bucket_name)
        functions = functions_of(self, package, {store.BUCKET: bucket.bucket_name})
        api.serve(package.routes, functions)

        self.reader = queues.feed(self, functions["listener"], output="Fault")
        pattern = events.EventPattern(detail_type=sorted(event_type for _, event_type in package.subscriptions))
        hub.route(self, "FromAnybody", pattern, to=self.reader)
        hub.join(Participant(package.name, subscribes=package.subscriptions))  # and publishes nothing

        self._grant_bucket(bucket, functions)
        _grant_resubmit(functions["command"], hub.readers)

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
            nag.acknowledge_wildcard(self, f"<{nag.logical_id(bucket)}.Arn>/{folder}/*", nag.FAULT_KEYS)


def _grant_resubmit(command: Function, readers: list[Reader]) -> None:
    for reader in readers:
        command.handler.add_environment(store.queue_variable(reader.name), reader.queue.queue_url)
    command.grant(["sqs:SendMessage"], [reader.queue.queue_arn for reader in readers])
