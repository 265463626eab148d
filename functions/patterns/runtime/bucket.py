"""The only place that calls S3: JSON objects of one bucket."""

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from patterns.runtime import aws, strict_json
from patterns.runtime.errors import CallFailed


class Bucket:
    """A bucket, named by an environment variable that is read at use: all handlers load in one process."""

    def __init__(self, variable: str) -> None:
        self._variable = variable

    @property
    def name(self) -> str:
        """The name that this deployment gave the bucket."""
        return os.environ[self._variable]

    def get(self, key: str) -> Any:  # noqa: ANN401  JSON is any
        """Return an object's content, None if there is no such object."""
        try:
            return self.require(key)
        except CallFailed as error:
            if error.code == "NoSuchKey":
                return None
            raise

    def require(self, key: str) -> Any:  # noqa: ANN401  JSON is any
        """Return an object's content.

        Raises:
            CallFailed: there is no such object.

        """
        return json.loads(self._call("get_object", Key=key)["Body"].read())

    def put_if_absent(self, key: str, content: Mapping[str, Any]) -> bool:
        """Write an object unless there is one; return whether it was written."""
        try:
            self._put(key, content, IfNoneMatch="*")
        except CallFailed as error:
            if error.code == "PreconditionFailed":
                return False
            raise
        return True

    def replace(self, key: str, content: Mapping[str, Any]) -> None:
        """Write an object, whether or not there is one."""
        self._put(key, content)

    def keys(self, prefix: str, *, after: str = "") -> Iterator[str]:
        """List the keys that begin with `prefix` and sort behind `after`, ascending; requests are made as needed."""
        for page in self._list(Prefix=prefix, **({"StartAfter": after} if after else {})):
            yield from (found["Key"] for found in page.get("Contents", []))

    def folders(self, prefix: str) -> Iterator[str]:
        """List the folders right below `prefix`, which ends in `/`, as they do: `faults/2026-11-21/`."""
        for page in self._list(Prefix=prefix, Delimiter="/"):
            yield from (found["Prefix"] for found in page.get("CommonPrefixes", []))

    def _list(self, **request: str) -> Iterator[dict[str, Any]]:
        while True:
            page = self._call("list_objects_v2", **request)
            yield page
            if not page.get("IsTruncated"):
                return
            request["ContinuationToken"] = page["NextContinuationToken"]

    def _put(self, key: str, content: Mapping[str, Any], **condition: str) -> None:
        body = strict_json.dumps(content).encode()
        self._call("put_object", Key=key, Body=body, ContentType="application/json", **condition)

    def _call(self, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401  requests are any JSON
        return aws.call("s3", operation, Bucket=self.name, **request)
