"""HTTP requests over libcurl: it signs them for AWS, keeps connections alive, and has many under way at once."""

import os
import threading
from functools import cache
from importlib.util import find_spec
from typing import Final, NamedTuple, cast

import pycurl

from andon.wire.credentials import Credentials
from andon.wire.deadline import CONNECT_SECONDS, time_of_attempt_ms

# Longest wait for a connection before timers of libcurl's own are looked at again.
SELECT_SECONDS: Final = 1.0

# A connection that was idle for longer is not used again.
IDLE_SECONDS: Final = 30

# botocore's names, so that a log says the same whichever wire is used.
# https://curl.se/libcurl/c/libcurl-errors.html
ERRORS: Final = {
    pycurl.E_COULDNT_RESOLVE_HOST: "EndpointConnectionError",
    pycurl.E_COULDNT_CONNECT: "EndpointConnectionError",
    pycurl.E_OPERATION_TIMEDOUT: "ReadTimeoutError",
    pycurl.E_PEER_FAILED_VERIFICATION: "SSLError",
    pycurl.E_SSL_CACERT_BADFILE: "SSLError",
}
LOST: Final = "ConnectionClosedError"  # in a handshake, too

END_OF_HEADERS: Final = b"\r\n"


class Request(NamedTuple):
    """A POST to be signed; signing: `aws:amz:<region>:<service>`; headers: `name: value`."""

    url: str
    signing: str
    credentials: Credentials
    headers: tuple[str, ...]
    body: bytes


class Handle(pycurl.Curl):
    """Names a request while it is under way; but_body, timeout_ms: the options of the last one, its body aside."""

    but_body: tuple[object, ...] | None
    timeout_ms: int | None

    def __init__(self) -> None:
        super().__init__()
        self.but_body = self.timeout_ms = None  # none of the class: it would hide those of pycurl's objects


class Response(NamedTuple):
    """A response; failed: the name of the error if no whole response did, else empty."""

    status: int
    headers: tuple[bytes, ...]
    body: bytes
    failed: str = ""


class Connections(threading.local):
    """The connections of a thread: libcurl's handles must not be shared between threads."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Close all that this thread has open, for the environment has changed."""
        self._multi = pycurl.CurlMulti()
        self._alone = new_handle()
        self._idle: list[Handle] = []
        self._under_way: dict[Handle, _Received] = {}

    def send(self, request: Request) -> Response:
        """Send a request and wait for its response."""
        received = _prepare(self._alone, request)
        try:
            self._alone.perform()
        except pycurl.error as error:
            return received.response(self._alone, ERRORS.get(int(error.args[0]), LOST))
        return received.response(self._alone)

    def begin(self, request: Request) -> Handle:
        """Begin a request; return the handle by which it is known."""
        handle = self._idle.pop() if self._idle else new_handle()
        received = _prepare(handle, request)
        self._multi.add_handle(handle)
        self._under_way[handle] = received
        return handle

    def ended(self, *, within_seconds: float = SELECT_SECONDS) -> list[tuple[Handle, Response]]:
        """Go on with all that began; return those that ended, empty if none did within a time."""
        ended = self._perform()
        if not ended and self._under_way:
            timer_ms = self._multi.timeout()  # when libcurl itself has something to do; -1: never
            self._multi.select(min(within_seconds, timer_ms / 1000) if timer_ms >= 0 else within_seconds)
            ended = self._perform()
        return ended

    def give_up(self, handle: Handle) -> None:
        """Forget a request that is under way; its connection is closed."""
        if self._under_way.pop(handle, None):
            self._multi.remove_handle(handle)
            handle.close()

    def _perform(self) -> list[tuple[Handle, Response]]:
        self._multi.perform()
        ended = cast("tuple[int, list[Handle], list[tuple[Handle, int, str]]]", self._multi.info_read())
        _, done, failed = ended
        return [(handle, self._end(handle)) for handle in done] + [
            (handle, self._end(handle, ERRORS.get(code, LOST))) for handle, code, _ in failed
        ]

    def _end(self, handle: Handle, failed: str = "") -> Response:
        response = self._under_way.pop(handle).response(handle, failed)
        self._multi.remove_handle(handle)
        self._idle.append(handle)
        return response


class _Received(NamedTuple):
    """The part of a response that libcurl has handed over."""

    headers: list[bytes]
    body: list[bytes]

    def response(self, handle: Handle, failed: str = "") -> Response:
        """Return the response that ended; libcurl takes one that breaks off within its headers for whole."""
        if not failed and self.headers[-1:] != [END_OF_HEADERS]:
            failed = LOST
        return Response(handle.getinfo(pycurl.RESPONSE_CODE), tuple(self.headers), b"".join(self.body), failed)


def _prepare(handle: Handle, request: Request) -> _Received:
    """Set the options that differ from the last request's; return the lists that libcurl fills."""
    received, but_body = _Received([], []), request[:-1]
    if handle.but_body != but_body:  # nearly all requests of a function differ in nothing but their bodies
        handle.but_body = None  # until all of it is set, for libcurl may refuse an option
        _prepare_but_body(handle, request)
        handle.but_body = but_body
    if handle.timeout_ms != (timeout_ms := time_of_attempt_ms()):  # the same, but for the end of an invocation
        handle.setopt(pycurl.TIMEOUT_MS, timeout_ms)
        handle.timeout_ms = timeout_ms
    handle.setopt(pycurl.POSTFIELDS, request.body)
    handle.setopt(pycurl.HEADERFUNCTION, received.headers.append)
    handle.setopt(pycurl.WRITEFUNCTION, received.body.append)
    return received


def _prepare_but_body(handle: Handle, request: Request) -> None:
    credentials = request.credentials
    token = (f"X-Amz-Security-Token: {credentials.token}",) if credentials.token else ()
    handle.setopt(pycurl.URL, request.url)
    handle.setopt(pycurl.AWS_SIGV4, request.signing)
    handle.setopt(pycurl.USERPWD, f"{credentials.key_id}:{credentials.secret}")
    handle.setopt(pycurl.HTTPHEADER, (*request.headers, *token))


@cache
def _authorities() -> str:
    """Return the path of certifi's bundle without importing certifi or pathlib, which take longer than all of this."""
    found = find_spec("certifi")
    if found is None or not found.submodule_search_locations:
        raise ImportError("certifi is not installed")
    return f"{found.submodule_search_locations[0]}/cacert.pem"


def new_handle() -> Handle:
    """Return a handle with the options of all requests: limits, and the trusted authorities."""
    handle = Handle()
    handle.setopt(pycurl.NOSIGNAL, 1)  # signals and threads do not go together
    handle.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    handle.setopt(pycurl.CONNECTTIMEOUT, CONNECT_SECONDS)
    # AWS ends what is idle for longer, and a function that was frozen finds out only by waiting.
    # https://curl.se/libcurl/c/CURLOPT_MAXAGE_CONN.html
    handle.setopt(pycurl.MAXAGE_CONN, IDLE_SECONDS)
    handle.setopt(pycurl.TCP_KEEPALIVE, 1)
    handle.setopt(pycurl.USERAGENT, "libcurl")
    # certifi's authorities, as botocore has its own copy of them; another bundle by the SDKs' variable.
    # Bytes, for pycurl takes no text but ASCII, and a folder may have any name.
    # http://pycurl.io/docs/latest/unicode.html
    handle.setopt(pycurl.CAINFO, os.fsencode(os.environ.get("AWS_CA_BUNDLE") or _authorities()))
    return handle


CONNECTIONS: Final = Connections()
