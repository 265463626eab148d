"""A bucket of S3."""

import io
from base64 import b64encode
from collections.abc import Iterator
from hashlib import md5, sha256
from itertools import islice
from typing import Final

from andon.runtime.json_types import JsonObject
from andon.testing.memory.hook import Answer, AwsRefused

MOST_LISTED: Final = 1000
NOT_FOUND, PRECONDITION_FAILED, RANGE = 404, 412, 416


class Objects:
    """The objects of one bucket: key -> bytes. checksums: those of the SHA-256 that were given with an object."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}
        self.checksums: dict[str, str] = {}

    def answer(self, operation: str, request: JsonObject) -> Answer:
        """Answer one request."""
        match operation:
            case "GetObject":
                return self._get(request)
            case "HeadObject":
                return self._head(request)
            case "PutObject":
                return self._put(request)
            case "DeleteObject":
                self.bodies.pop(request["Key"], None)
                return {}
            case "DeleteObjects":
                for one in request["Delete"]["Objects"]:
                    self.bodies.pop(one["Key"], None)
                return {}
            case "ListObjectsV2":
                return self._list(request)
        raise NotImplementedError(operation)

    def _get(self, request: JsonObject) -> Answer:
        if request["Key"] not in self.bodies:
            raise AwsRefused("NoSuchKey", status=NOT_FOUND)
        body = self.bodies[request["Key"]]
        part = _part(body, request["Range"]) if "Range" in request else body
        return {"Body": io.BytesIO(part), "ETag": _etag(body), "ContentLength": len(part)}

    def _head(self, request: JsonObject) -> Answer:
        if request["Key"] not in self.bodies:
            raise AwsRefused("404", message="Not Found", status=NOT_FOUND)
        body, checksum = self.bodies[request["Key"]], self.checksums.get(request["Key"])
        is_asked = checksum is not None and request.get("ChecksumMode") == "ENABLED"
        checksums = {"ChecksumSHA256": checksum} if is_asked else {}
        return {"ETag": _etag(body), "ContentLength": len(body), **checksums}

    def _put(self, request: JsonObject) -> Answer:
        """Write an object if its condition holds: `IfMatch`, the ETag of what is there, or `IfNoneMatch`, nothing."""
        key, body = request["Key"], request["Body"]
        before = self.bodies.get(key)
        if "IfMatch" in request and before is None:
            raise AwsRefused("NoSuchKey", status=NOT_FOUND)
        is_another = before is not None and request.get("IfMatch", _etag(before)) != _etag(before)
        if is_another or ("IfNoneMatch" in request and before is not None):
            raise AwsRefused("PreconditionFailed", status=PRECONDITION_FAILED)
        body = body.encode() if isinstance(body, str) else bytes(body)
        if request.get("ChecksumSHA256", checksum := _checksum(body)) != checksum:
            raise AwsRefused("BadDigest", message="The SHA256 you specified did not match the calculated checksum.")
        self.bodies[key] = body
        self.checksums.pop(key, None)
        if "ChecksumSHA256" in request:
            self.checksums[key] = checksum
        return {"ETag": _etag(body)}

    def _list(self, request: JsonObject) -> Answer:
        """List keys, and with a delimiter the folders that the others lie in; the last one is where the next begins."""
        found = islice(self._entries(request), request.get("MaxKeys", MOST_LISTED) + 1)
        entries = list(found)
        page = entries[: request.get("MaxKeys", MOST_LISTED)]
        answer: Answer = {"IsTruncated": len(page) < len(entries), "KeyCount": len(page)}
        if answer["IsTruncated"]:
            answer["NextContinuationToken"] = page[-1][0]
        if contents := [key for key, is_folder in page if not is_folder]:
            answer["Contents"] = [
                {"Key": key, "Size": len(self.bodies[key]), "ETag": _etag(self.bodies[key])} for key in contents
            ]
        if folders := [{"Prefix": key} for key, is_folder in page if is_folder]:
            answer["CommonPrefixes"] = folders
        return answer

    def _entries(self, request: JsonObject) -> Iterator[tuple[str, bool]]:
        """Yield the keys and folders behind the start of a list, ascending, each with true if it is a folder."""
        prefix, delimiter = request.get("Prefix", ""), request.get("Delimiter")
        after: str = request.get("ContinuationToken") or request.get("StartAfter", "")
        last = ""
        for key in sorted(key for key in self.bodies if key.startswith(prefix) and key > after):
            first, cut, _ = key.removeprefix(prefix).partition(delimiter) if delimiter else (key, "", "")
            entry = f"{prefix}{first}{cut}" if cut else key
            if entry not in {last, after}:
                yield entry, bool(cut)
            last = entry


def _part(body: bytes, asked: str) -> bytes:
    first, last = asked.removeprefix("bytes=").split("-")
    if not first:
        return body[-int(last) :]
    if int(first) >= len(body):
        raise AwsRefused("InvalidRange", status=RANGE)
    return body[int(first) : int(last) + 1 if last else None]


def _checksum(body: bytes) -> str:
    return b64encode(sha256(body).digest()).decode()


def _etag(body: bytes) -> str:
    return f'"{md5(body, usedforsecurity=False).hexdigest()}"'
