"""The bucket of a service that keeps contents of users, and the permissions on it."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import aws_s3 as s3
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.bucket import private_bucket
from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import tell
from andon.content.contents import FOLDER, Contents
from andon.content.links import CHECKSUM, CONTENT_TYPE
from andon.packages.package import Package

# A client uploads and reads with an address that the command or the query has signed: by their permissions.
ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "command": ("s3:GetObject", "s3:PutObject"),
    "query": ("s3:GetObject",),
    "trigger": ("s3:DeleteObject",),
}
LOOK: Final = ("command", "query")
"""The roles that ask whether an object is there. Without ListBucket S3 answers 403 where there is none, and not 404."""

AGE_SECONDS: Final = 3600  # a browser asks so seldom again whether it may upload

DECIDES: Final = "{name}: a control service keeps no contents: keep them in a service without rules."
NOT_TOLD: Final = (
    "{name}: contents are in the table {table}, which is not its own, or has no stream or no ttl: so nobody would "
    "delete what nothing refers to."
)


class OwnedContents(Construct):
    """A service's bucket of contents; its output is its environment variable in PascalCase."""

    def __init__(
        self, scope: Construct, package: Package, contents: Contents, *, functions: Mapping[str, Function], api: Api
    ) -> None:
        super().__init__(scope, pascal(contents.variable))
        refuse_unreleased(package, contents)
        self._bucket = private_bucket(self, "Bucket", unlogged=nag.CONTENT_READS)
        self._bucket.add_cors_rule(
            allowed_methods=[s3.HttpMethods.PUT, s3.HttpMethods.GET],
            allowed_origins=[api.page_origin],
            allowed_headers=[CONTENT_TYPE, CHECKSUM],
            max_age=AGE_SECONDS,
        )
        tell(scope, pascal(contents.variable), self._bucket.bucket_name, "contents of users")
        for role, actions in ALLOWED.items():
            if role in functions:
                functions[role].handler.add_environment(contents.variable, self._bucket.bucket_name)
                functions[role].grant([*actions], [self._bucket.arn_for_objects(f"{FOLDER}/*")])
                nag.acknowledge_keys(functions[role], self._bucket, FOLDER, nag.CONTENT_KEYS)
        for role in LOOK:
            if role in functions:
                functions[role].grant(["s3:ListBucket"], [self._bucket.bucket_arn])


def refuse_unreleased(package: Package, contents: Contents) -> None:
    """Refuse contents that nobody would delete.

    Raises:
        ValueError: the service decides by rules, or its table tells nobody what has expired.

    """
    if package.has("control"):
        raise ValueError(DECIDES.format(name=package.name))
    schema = package.tables.get(contents.table.variable)
    if schema is None or not (schema.stream and schema.expires):
        raise ValueError(NOT_TOLD.format(name=package.name, table=contents.table.variable))
