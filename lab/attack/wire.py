"""Requests as they go over the wire, byte by byte, and the answers."""

import http.client
import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit

from andon.tools.stack.api import TIMEOUT_S, HttpResponse

SHOWN_BYTES: Final = 300  # of a body, in a reproduction
BROKEN: Final = 0  # the status of an answer that never came

In = TypeVar("In")
Out = TypeVar("Out")


class Raw(str):
    """A path parameter that is sent as it is: it is percent-encoded already, or wrongly so."""

    __slots__ = ()


def encoded(text: str) -> str:
    """Return a part of a path, percent-encoded, whether or not it is Unicode."""
    return quote(text.encode(errors="surrogatepass"), safe=":")


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request; `target` is path and query, percent-encoded."""

    method: str
    target: str
    headers: tuple[tuple[str, str | bytes], ...] = ()
    body: bytes | None = None

    def asking(self, query: Sequence[tuple[str, str]] | str) -> Self:
        """Return it with a query, of pairs or as it is."""
        text = query if isinstance(query, str) else urlencode(query, errors="surrogatepass")
        return replace(self, target=f"{self.target}?{text}")

    def with_header(self, name: str, value: str | bytes | None) -> Self:
        """Return it with another value of a header; None: without it."""
        others = tuple(one for one in self.headers if one[0] != name)
        return replace(self, headers=others if value is None else (*others, (name, value)))

    def having(self, body: bytes | None) -> Self:
        """Return it with another body."""
        return replace(self, body=body)

    @property
    def curl(self) -> str:
        """The command that sends it again; a long body is cut."""
        words = ["curl", "-i", "--path-as-is", "-X", self.method, f'"$API"{shlex.quote(self.target)}']
        if all(name != "authorization" for name, _ in self.headers):
            words += ["-H", '"authorization: Bearer $TOKEN"']
        for name, value in self.headers:
            text = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
            words += ["-H", shlex.quote(f"{name}: {text}")]
        if self.body is not None:
            shown = self.body[:SHOWN_BYTES].decode(errors="backslashreplace")
            cut = f"  # {len(self.body)} bytes" if len(self.body) > SHOWN_BYTES else ""
            words += ["--data-binary", shlex.quote(shown) + cut]
        return " ".join(words)


class Door:
    """The API at `url`, for many threads; every request has a connection of its own."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)

    def send(self, request: RawRequest, token: str | None = None) -> HttpResponse:
        """Send a request; an answer that never came has the status 0."""
        connection = http.client.HTTPConnection(self._url.netloc, timeout=TIMEOUT_S)
        try:
            connection.putrequest(request.method, self._url.path + request.target, skip_accept_encoding=True)
            for name, value in request.headers:
                connection.putheader(name, value.encode() if isinstance(value, str) else value)
            if token is not None:
                connection.putheader("authorization", f"Bearer {token}")
            if request.body is not None:
                connection.putheader("content-length", str(len(request.body)))
            connection.endheaders(request.body)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return HttpResponse(response.status, names, response.read())
        except (OSError, http.client.HTTPException) as broken:
            return HttpResponse(BROKEN, {}, type(broken).__name__.encode())
        finally:
            connection.close()


def side_by_side(do: Callable[[In], Out], given: Sequence[In], *, clients: int) -> list[Out]:
    """Do something for each that is given, some at a time; the results are in order."""
    with ThreadPoolExecutor(clients) as pool:
        return list(pool.map(do, given))
