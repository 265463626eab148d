"""The HTTP API as a client sees it."""

import http.client
import json
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlsplit

TIMEOUT_S: Final = 60  # a Lambda's first call unpacks its layer


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An HTTP response; header names in lower case, `json` is None without a body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  JSON is any
        """The parsed body."""
        return json.loads(self.body) if self.body else None


class ApiConnection(AbstractContextManager["ApiConnection"]):
    """A connection that stays open from one request to the next; not to be shared by threads."""

    def __init__(self, url: str, token: str | None) -> None:
        base = urlsplit(url)
        connect = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        self._connection = connect(base.netloc, timeout=TIMEOUT_S)
        self._base = base.path
        self._headers = {"content-type": "application/json"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def request(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        """Send one request, with `body` as JSON; a connection that broke is opened again by the next one."""
        sent = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, self._base + path, sent, self._headers | (headers or {}))
            response = self._connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return HttpResponse(response.status, names, response.read())
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise


@dataclass(frozen=True, slots=True)
class ApiClient:
    """The API at `url`, called with `token` unless that is None."""

    url: str
    token: str | None = field(default=None, repr=False)

    def connect(self) -> ApiConnection:
        """Open a connection for many requests."""
        return ApiConnection(self.url, self.token)

    def get(self, path: str) -> HttpResponse:
        """GET `path`, which begins with a slash and is already encoded."""
        return self.request("GET", path)

    def put(self, path: str, body: object, headers: dict[str, str] | None = None) -> HttpResponse:
        """PUT `body` as JSON."""
        return self.request("PUT", path, body, headers)

    def request(
        self, method: str, path: str, body: object = None, headers: dict[str, str] | None = None
    ) -> HttpResponse:
        """Send one request on a connection of its own, so that an instance can be shared by threads."""
        with self.connect() as connection:
            return connection.request(method, path, body, headers)


def path_of(*parts: str) -> str:
    """Return a path of parts, each percent-encoded: a `#`, which ids may contain, would end a URL."""
    return "".join(f"/{quote(part, safe=':')}" for part in parts)
