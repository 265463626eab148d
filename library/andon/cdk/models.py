"""Where models are kept: a bucket that a person writes (`make train`) and a control service reads."""

from typing import Final

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.service import Service

FOLDER: Final = "models"
READERS: Final = ("trigger", "sweep")


class Models(Construct):
    """The models of a service, read by its trigger and its sweep. No function writes them, or deletes any."""

    def __init__(self, scope: Construct, *, read_by: Service) -> None:
        super().__init__(scope, "Models")
        bucket = private_bucket(self, "Bucket", unlogged=nag.FEW_MODELS, versioned=True)
        CfnOutput(Stack.of(self), "ModelsBucket", value=bucket.bucket_name)
        self.readers = [read_by.functions[role] for role in READERS]
        for reader in self.readers:
            [variable] = reader.package.buckets
            reader.handler.add_environment(variable, bucket.bucket_name)
            reader.grant(["s3:GetObject"], [bucket.arn_for_objects(f"{FOLDER}/*")])
            # Without it S3 answers 403 instead of 404 for an object that does not exist.
            reader.grant(["s3:ListBucket"], [bucket.bucket_arn])
            nag.acknowledge_wildcard(reader, f"<{nag.logical_id(bucket)}.Arn>/{FOLDER}/*", nag.MODEL_KEYS)
