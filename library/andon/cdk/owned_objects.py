"""The bucket of a view in objects, and the permissions on it."""

from typing import Final

from constructs import Construct

from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.checks.unkept import refuse_unkept
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import tell
from andon.packages.package import Package
from andon.views.object_table import FOLDER, ObjectTable

READ: Final = ("s3:GetObject",)
WRITE: Final = ("s3:GetObject", "s3:PutObject")


class OwnedObjects(Construct):
    """A view's bucket; its output is its environment variable in PascalCase.

    S3 deletes an object so many days after it was last written, and knows no date of its own for each. So it is kept as
    long as a row of that write may be, and a day more; readers leave out rows that have expired.
    """

    def __init__(self, scope: Construct, package: Package, objects: ObjectTable) -> None:
        super().__init__(scope, pascal(objects.variable))
        refuse_unkept(package)
        view = package.view
        keeps_days = max(view.TTL_DAYS or 0, getattr(view, "EXPIRES_WITHIN_DAYS", None) or 0) + 1
        self._bucket = private_bucket(self, "Bucket", unlogged=nag.OBJECT_READS, keeps_days=keeps_days)
        nag.acknowledge_keys(scope, self._bucket, FOLDER, nag.OBJECT_KEYS)
        tell(scope, pascal(objects.variable), self._bucket.bucket_name, "the objects of a view")
        self.environment = {objects.variable: self._bucket.bucket_name}

    def grant_read(self, function: Function) -> None:
        """Allow reading objects."""
        self._grant(function, *READ)

    def grant_write(self, function: Function) -> None:
        """Allow reading objects, and writing what was read; an object is never deleted but by S3 itself."""
        self._grant(function, *WRITE)

    def _grant(self, function: Function, *actions: str) -> None:
        function.grant([*actions], [self._bucket.arn_for_objects(f"{FOLDER}/*")])
        # Without it S3 answers 403 where there is no object, as where nobody may read, and not 404.
        # https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
        function.grant(["s3:ListBucket"], [self._bucket.bucket_arn])
