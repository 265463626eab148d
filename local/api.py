"""The HTTP API as a client sees it."""

import http.client
import json
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

TIMEOUT_S: Final = 60  # a Lambda's first call unpacks its layer


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response; header names in lower case, `json` is None without a body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  JSON is any
        """The parsed body."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True, slots=True)
class Api:
    """The API at `url`, called with `token` unless that is None."""

    url: str
    token: str | None = field(default=None, repr=False)

    def get(self, path: str) -> Answer:
        """GET `path`, which begins with a slash and is already encoded."""
        return self.request("GET", path)

    def put(self, path: str, body: object, headers: dict[str, str] | None = None) -> Answer:
        """PUT `body` as JSON."""
        return self.request("PUT", path, body, headers)

    def request(self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None) -> Answer:
        """Send one request on a connection of its own, so that an instance can be shared by threads."""
        base = urlsplit(self.url)
        connect = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        connection = connect(base.netloc, timeout=TIMEOUT_S)
        authorization = {"authorization": f"Bearer {self.token}"} if self.token is not None else {}
        try:
            connection.request(
                method,
                base.path + path,
                None if body is None else json.dumps(body),
                {"content-type": "application/json"} | authorization | (headers or {}),
            )
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, response.read())
        finally:
            connection.close()


def path_of(*parts: str) -> str:
    """Build a path of parts as they are, each percent-encoded: a `#`, which ids have in them, would end a URL."""
    return "".join(f"/{quote(part, safe=':')}" for part in parts)
