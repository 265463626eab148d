"""Where faults are kept: a bucket, what fills it, and what puts a message back on the queue that it came from."""

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_events as events
from constructs import Construct

from infra import queues
from infra.api import Api
from infra.bucket import private_bucket
from infra.checks import nag
from infra.checks.loops import Participant
from infra.event_hub import EventHub
from infra.function import Function, functions_of
from infra.package import Package
from infra.queues import Reader


class FaultStore(Construct):
    """The faults of everybody; their messages go back to those who read the bus so far."""

    def __init__(self, scope: Construct, hub: EventHub, api: Api) -> None:
        package = Package("stores", "faults")
        super().__init__(scope, package.name)
        store = package.store()
        bucket = private_bucket(self, "Bucket", unlogged=nag.FEW_FAULTS, keeps_days=store.KEEPS_DAYS)
        CfnOutput(Stack.of(self), "FaultsBucket", value=bucket.bucket_name)
        environment = {store.BUCKET: bucket.bucket_name}
        functions = functions_of(self, package, ("command", "query", "listener"), environment)
        api.serve(package.routes(), functions)

        listener = functions["listener"]
        self.reader = queues.feed(self, listener, output="Fault")
        pattern = events.EventPattern(detail_type=sorted(heard for _, heard in store.HEARS))
        hub.route(self, "FromAnybody", pattern, to=self.reader)
        hub.join(Participant(package.name, hears=store.HEARS))  # and publishes nothing

        faults, ids = bucket.arn_for_objects(f"{store.FAULTS}/*"), bucket.arn_for_objects(f"{store.IDS}/*")
        listener.allow(["s3:PutObject"], [faults, ids])
        listener.allow(["s3:GetObject"], [ids])
        for function in (functions["query"], functions["command"]):
            function.allow(["s3:GetObject"], [faults, ids])
            # Without it S3 says of what is not there that it is forbidden.
            function.allow(["s3:ListBucket"], [bucket.bucket_arn])
        functions["command"].allow(["s3:PutObject"], [faults])
        _let_resubmit(functions["command"], hub.readers)
        for folder in (store.FAULTS, store.IDS):
            nag.acknowledge_wildcard(self, f"<{nag.logical_id(bucket)}.Arn>/{folder}/*", nag.FAULT_KEYS)


def _let_resubmit(command: Function, readers: list[Reader]) -> None:
    for reader in readers:
        command.handler.add_environment(f"{reader.name.upper()}_QUEUE_URL", reader.queue.queue_url)
    command.allow(["sqs:SendMessage"], [reader.queue.queue_arn for reader in readers])
