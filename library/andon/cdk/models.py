"""The models of a service: a bucket that a person writes (`make train`) and its trigger and sweep read."""

from collections.abc import Iterable
from typing import Final

from constructs import Construct

from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import tell

FOLDER: Final = "models"
READERS: Final = ("trigger", "sweep")


class Models(Construct):
    """The bucket of a service that declares one. No function writes models, or deletes any."""

    def __init__(self, scope: Construct, variable: str, *, readers: Iterable[Function]) -> None:
        super().__init__(scope, "Models")
        bucket = private_bucket(self, "Bucket", unlogged=nag.FEW_MODELS, versioned=True)
        tell(self, pascal(variable), bucket.bucket_name, "the models")
        for reader in readers:
            reader.handler.add_environment(variable, bucket.bucket_name)
            reader.grant(["s3:GetObject"], [bucket.arn_for_objects(f"{FOLDER}/*")])
            # Without it S3 answers 403 instead of 404 for an object that does not exist.
            reader.grant(["s3:ListBucket"], [bucket.bucket_arn])
            nag.acknowledge_keys(reader, bucket, FOLDER, nag.MODEL_KEYS)
