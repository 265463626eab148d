"""The only place that calls S3: the objects of one bucket, which are JSON, or bytes."""

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from andon.runtime import strict_json
from andon.runtime.errors import CallFailed
from andon.runtime.json_types import JsonMapping, JsonObject
from andon.runtime.log import logger
from andon.runtime.tried import Failed, tried
from andon.wire import aws

Content = TypeVar("Content")

# How often a change begins again because somebody else replaced the object meanwhile, before it fails.
ATTEMPTS = 10

# What S3 answers to a write whose condition does not hold, and to one that meets another write of the same key.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
EXISTS = "PreconditionFailed"
REPLACED = frozenset({EXISTS, "ConditionalRequestConflict"})
MISSING = "NoSuchKey"
# https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
_MOST_REMOVED = 1000
NOT_FOUND = frozenset({MISSING, "404"})  # a response to HEAD has no body that would say more


class Found(NamedTuple):
    """The bytes of an object, and the ETag that its replacement must name."""

    body: bytes
    etag: str


class Head(NamedTuple):
    """An object's size in bytes, and the base64 of the SHA-256 that S3 computed of it, if it was asked to."""

    size: int
    sha256: str | None


class Bucket:
    """A bucket, named by an environment variable that is read at use: all handlers load in one process."""

    def __init__(self, variable: str) -> None:
        self._variable = variable

    @property
    def name(self) -> str:
        """The name that this deployment gave the bucket."""
        return os.environ[self._variable]

    def get(self, key: str, read: Callable[[bytes], Any] = json.loads) -> Any:  # noqa: ANN401  JSON is any
        """Return an object as `read` makes it; None if there is no such object, or none that can be read."""
        found = self.find(key)
        return None if found is None else readable(key, found.body, read)

    def find(self, key: str) -> Found | None:
        """Return an object's bytes and its ETag, None if there is no such object."""
        try:
            return self._require(key)
        except CallFailed as error:
            if error.code == MISSING:
                return None
            raise

    def head(self, key: str) -> Head | None:
        """Return size and digest of an object without reading it, None if there is no such object."""
        try:
            response = self._call("head_object", Key=key, ChecksumMode="ENABLED")
        except CallFailed as error:
            if error.code in NOT_FOUND:
                return None
            raise
        return Head(response["ContentLength"], response.get("ChecksumSHA256"))

    def put_if(self, key: str, text: str, *, etag: str | None) -> bool:
        """Write JSON if the object is still that of `etag` (None: if there is none); return True if it was written."""
        condition = {"IfNoneMatch": "*"} if etag is None else {"IfMatch": etag}
        return self._put_unless({*REPLACED, MISSING}, key, text, **condition)

    def require(self, key: str) -> Any:  # noqa: ANN401  JSON is any
        """Return an object's content.

        Raises:
            CallFailed: there is no such object.

        """
        return json.loads(self._require(key).body)

    def require_bytes(self, key: str, *, first: int | None = None, length: int = 0) -> bytes:
        """Return an object's bytes, or `length` of them (at least one) from `first` on, as far as there are so many.

        Raises:
            CallFailed: there is no such object, or it ends before `first`.

        """
        part = {} if first is None else {"Range": f"bytes={first}-{first + length - 1}"}
        content: bytes = self._call("get_object", Key=key, **part)["Body"].read()
        return content

    def put_if_absent(self, key: str, content: JsonMapping | bytes) -> bool:
        """Write an object unless there is one; return True if it was written.

        If a key follows from the content, a second time changes nothing.
        """
        return self._put_unless({EXISTS}, key, content, IfNoneMatch="*")

    def replace(self, key: str, content: JsonMapping | bytes) -> None:
        """Write an object, even if there is one."""
        self._put(key, content)

    def change(
        self, key: str, decide: Callable[[Any], JsonMapping | None], read: Callable[[bytes], Any] = json.loads
    ) -> Any:  # noqa: ANN401  as above
        """Replace an object by `decide(content)` and return that; None leaves it as it is.

        `decide` gets None of an object that cannot be read. It is called again if somebody else replaced the object
        meanwhile: no change is lost.

        Raises:
            CallFailed: there is no such object, or others replaced it at each of `ATTEMPTS` attempts.

        """
        for _ in range(ATTEMPTS):
            found = self._require(key)
            changed = decide(readable(key, found.body, read))
            if changed is None or self._put_unless(REPLACED, key, changed, IfMatch=found.etag):
                return changed
        raise CallFailed(EXISTS)

    def remove(self, key: str) -> None:
        """Delete an object, if there is one."""
        self._call("delete_object", Key=key)

    def remove_all(self, keys: Sequence[str]) -> None:
        """Delete objects, those that are there, with few requests.

        Raises:
            CallFailed: S3 did not delete one of them.

        """
        for start in range(0, len(keys), _MOST_REMOVED):
            objects = [{"Key": key} for key in keys[start : start + _MOST_REMOVED]]
            response = self._call("delete_objects", Delete={"Objects": objects, "Quiet": True})
            if errors := response.get("Errors"):
                raise CallFailed(str(errors[0].get("Code")), response)

    def keys(self, prefix: str, *, after: str = "") -> Iterator[str]:
        """List the keys that begin with `prefix` and sort behind `after`, ascending; requests are made as needed."""
        for page in self._list(Prefix=prefix, **({"StartAfter": after} if after else {})):
            yield from (found["Key"] for found in page.get("Contents", []))

    def etags(self, prefix: str) -> dict[str, str]:
        """Return key -> ETag of the objects below `prefix`, by key, ascending."""
        pages = self._list(Prefix=prefix)
        return {found["Key"]: found["ETag"].strip('"') for page in pages for found in page.get("Contents", [])}

    def folders(self, prefix: str) -> Iterator[str]:
        """List the folders right below `prefix`, which ends in `/`, as they do: `faults/2026-11-21/`."""
        for page in self._list(Prefix=prefix, Delimiter="/"):
            yield from (found["Prefix"] for found in page.get("CommonPrefixes", []))

    def _list(self, **request: str) -> Iterator[JsonObject]:
        while True:
            page = self._call("list_objects_v2", **request)
            yield page
            if not page.get("IsTruncated"):
                return
            request["ContinuationToken"] = page["NextContinuationToken"]

    def _require(self, key: str) -> Found:
        response = self._call("get_object", Key=key)
        return Found(response["Body"].read(), response["ETag"])

    def _put_unless(
        self, refusals: Collection[str], key: str, content: JsonMapping | bytes | str, **condition: str
    ) -> bool:
        try:
            self._put(key, content, **condition)
        except CallFailed as error:
            if error.code in refusals:
                return False
            raise
        return True

    def _put(self, key: str, content: JsonMapping | bytes | str, **condition: str) -> None:
        """Write an object: bytes, or JSON, which may be written as such already."""
        is_bytes = isinstance(content, bytes)
        text = content if isinstance(content, bytes | str) else strict_json.dumps(content)
        body = text if isinstance(text, bytes) else text.encode()
        kind = "application/octet-stream" if is_bytes else "application/json"
        self._call("put_object", Key=key, Body=body, ContentType=kind, **condition)

    def _call(self, operation: str, **request: Any) -> JsonObject:  # noqa: ANN401  requests are any JSON
        return aws.call("s3", operation, Bucket=self.name, **request)


def readable(key: str, body: bytes, read: Callable[[bytes], Content]) -> Content | None:
    """Return an object as `read` makes it; None if that fails: it is as if it were not there, and logged."""
    content = tried(read, body)
    if isinstance(content, Failed):
        logger().warning("an object cannot be read", extra={"object": key, "error": repr(content.error)})
        return None
    return content
