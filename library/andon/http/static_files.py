"""The files of a folder as HTTP responses: typed, compressed, and 304 for a client that has them already.

It needs neither Powertools nor pydantic, so that a page is there early after a cold start.
"""

import base64
import gzip
import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from andon.http.etag import matches
from andon.runtime.json_types import JsonObject

CONTENT_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
# A client asks each time whether it has the newest: files of two deployments do not fit together.
_REVALIDATE: Final = "no-cache"


class StaticFile(NamedTuple):
    """A file, in the two encodings that it is sent in; the API does not compress."""

    content_type: str
    content: bytes
    compressed: bytes
    digest: str

    @classmethod
    def of(cls, name: str, content: bytes) -> "StaticFile":
        """Return the file of a name and content.

        Raises:
            KeyError: its suffix is not one of CONTENT_TYPES.

        """
        content_type, digest = CONTENT_TYPES[Path(name).suffix], hashlib.sha256(content).hexdigest()[:32]
        return cls(content_type, content, gzip.compress(content, mtime=0), digest)

    def respond(self, request_headers: Mapping[str, str]) -> JsonObject:
        """Return the response of a Lambda function to a request with these headers, names in lower case."""
        compressed = _accepts_gzip(request_headers.get("accept-encoding", ""))
        etag = f'"{self.digest}-gzip"' if compressed else f'"{self.digest}"'  # of the bytes that are sent
        headers = {"etag": etag, "cache-control": _REVALIDATE, "vary": "accept-encoding"}
        if matches(request_headers.get("if-none-match"), etag):
            return {"statusCode": int(HTTPStatus.NOT_MODIFIED), "headers": headers}
        headers |= {"content-type": self.content_type} | ({"content-encoding": "gzip"} if compressed else {})
        body = base64.b64encode(self.compressed if compressed else self.content).decode()
        return {"statusCode": int(HTTPStatus.OK), "headers": headers, "body": body, "isBase64Encoded": True}


def static_files(folder: Path) -> dict[str, StaticFile]:
    """Return the files of a folder by name, all read."""
    return {file.name: StaticFile.of(file.name, file.read_bytes()) for file in folder.iterdir() if file.is_file()}


def _accepts_gzip(accept_encoding: str) -> bool:
    """Return True if a client accepts gzip: it names it, and not with the weight zero (RFC 9110, 12.5.3)."""
    for offered in accept_encoding.lower().split(","):
        name, _, weight = offered.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False
