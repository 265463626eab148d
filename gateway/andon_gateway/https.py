"""`POST /states` of Andon's API, over one connection that is kept."""

import http.client
import json
import ssl
from collections.abc import Sequence
from http import HTTPMethod
from typing import Final
from urllib.parse import urlsplit

from andon_gateway.clock import Clock, to_utc
from andon_gateway.store import Stored
from andon_gateway.tokens import NoToken, Tokens
from andon_gateway.verdict import Answer, Verdict, judge

MAX_BYTES: Final = 100_000
MAX_ANSWER: Final = 1_000_000
TIMEOUT_S: Final = 30.0


class Https:
    """The way to the API; only this machine is spoken to without TLS."""

    def __init__(self, url: str, *, tokens: Tokens, clock: Clock, timeout_s: float = TIMEOUT_S) -> None:
        """Connect nothing yet.

        Raises:
            ValueError: the URL is none of https, nor of this machine.

        """
        parts = urlsplit(url)
        self._host = parts.netloc
        if not parts.hostname or parts.scheme not in {"https", "http"}:
            raise ValueError("url: begins with https://")
        if parts.scheme == "http" and parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
            raise ValueError("url: without TLS only to this machine: a token is no secret there otherwise")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._path = parts.path.rstrip("/") + "/states"
        self._tokens = tokens
        self._clock = clock
        self._timeout_s = timeout_s
        self._connection: http.client.HTTPConnection | None = None

    def send(self, batch: Sequence[Stored]) -> tuple[int, Verdict]:
        """Send as many of the first reports of a batch as fit; return their number and their verdict."""
        count, body = body_of(batch)
        try:
            headers = {"authorization": f"Bearer {self._tokens.get()}", "content-type": "application/json"}
        except NoToken:
            return count, judge(count, None)
        verdict = judge(count, self._request(HTTPMethod.POST, self._path, body, headers))
        if verdict.token_ended:
            self._tokens.renew()
        return count, verdict

    def keep(self) -> str | None:
        """Do nothing: a connection may end while nothing waits."""
        return None

    def ask_time(self) -> None:
        """Ask for any answer, to hear the API's clock."""
        self._request(HTTPMethod.HEAD, "/", b"", {})

    def close(self) -> None:
        """Close the connection."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _request(self, method: HTTPMethod, path: str, body: bytes, headers: dict[str, str]) -> Answer | None:
        is_kept = self._connection is not None
        answer = self._try(method, path, body, headers)
        if answer is None and is_kept:  # the other side may have closed it meanwhile; a report that came twice is one
            answer = self._try(method, path, body, headers)
        return answer

    def _try(self, method: HTTPMethod, path: str, body: bytes, headers: dict[str, str]) -> Answer | None:
        sent_ms = self._clock.host_ms()
        try:
            self._connection = self._connection or self._connect()
            self._connection.request(method, path, body=body, headers=headers)
            response = self._connection.getresponse()
            content = response.read(MAX_ANSWER)
        except (OSError, http.client.HTTPException):
            self.close()
            return None
        found = {name.lower(): value for name, value in response.getheaders()}
        self._clock.hear(found.get("date"), sent_ms=sent_ms, received_ms=self._clock.host_ms())
        if not response.isclosed():
            self.close()
        return Answer(response.status, found, content)

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls:
            return http.client.HTTPSConnection(self._host, timeout=self._timeout_s, context=self._tls)
        return http.client.HTTPConnection(self._host, timeout=self._timeout_s)


def body_of(batch: Sequence[Stored]) -> tuple[int, bytes]:
    """Return the number of first reports that fit into a body, at least one, and the body; the same each time."""
    parts: list[str] = []
    size = 0
    for one in batch:
        report = {"equipmentId": one.machine, "state": one.state, "timestamp": to_utc(one.at_ms)}
        part = json.dumps(report if one.detail is None else {**report, "detail": one.detail}, ensure_ascii=False)
        size += len(part.encode()) + 1
        if parts and size > MAX_BYTES:
            break
        parts.append(part)
    return len(parts), f"[{','.join(parts)}]".encode()
