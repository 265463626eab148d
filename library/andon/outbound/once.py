"""A POST over libcurl, once: over a connection of its own, so that libcurl never sends it again by itself.

Over a connection that was kept libcurl does, if it ends before the response begins: a person might be told more often
than was decided. https://curl.se/libcurl/c/CURLOPT_FRESH_CONNECT.html
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

import pycurl

from andon.outbound.channel import NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.wire.curl import ERRORS, LOST, Handle, new_handle
from andon.wire.deadline import time_of_attempt_ms

LONGEST_MS: Final = 5_000
MOST_BYTES: Final = 65_536  # of a response: providers answer with a few hundred
USER_AGENT: Final = "Andon"

# The name of the failure of a request whose host has an address that is not public, see `https`.
NOT_PUBLIC: Final = "AddressNotPublic"

# Refusals that count for now, https://www.rfc-editor.org/rfc/rfc9110#status.408 and RFC 8470, 6585.
NOT_NOW: Final = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}


class Reply(NamedTuple):
    """End of a request. failed: the name of the error if no whole response did, else empty.

    went_out: something of the request was sent, so that the host may have done what it asks for.
    """

    status: int
    headers: tuple[bytes, ...]
    body: bytes
    failed: str
    went_out: bool

    @property
    def has_status(self) -> bool:
        """True if the host has answered; what breaks off later does not matter."""
        return self.status >= HTTPStatus.OK


def post_once(
    url: str, headers: Mapping[str, str], body: bytes, *, prepare: Callable[[Handle], object] = lambda _: None
) -> Reply:
    """Send a request and wait for its response, for `LONGEST_MS` and no longer than is left of the invocation.

    prepare: sets more options of libcurl's.
    """
    handle, received, said = new_handle(), bytearray(), list[bytes]()

    def receive(part: bytes) -> int:
        received.extend(part)
        return len(part) if len(received) <= MOST_BYTES else 0

    for option, value in (
        (pycurl.URL, url),
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTPS | pycurl.PROTO_HTTP),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.TIMEOUT_MS, min(LONGEST_MS, time_of_attempt_ms())),
        (pycurl.USERAGENT, USER_AGENT),
        (pycurl.HTTPHEADER, [f"{name}: {value}" for name, value in headers.items()]),
        (pycurl.POSTFIELDS, body),
        (pycurl.HEADERFUNCTION, said.append),
        (pycurl.WRITEFUNCTION, receive),
    ):
        handle.setopt(option, value)
    prepare(handle)
    try:
        failed = _perform(handle)
        went_out = handle.getinfo(pycurl.REQUEST_SIZE) > 0
        return Reply(handle.getinfo(pycurl.RESPONSE_CODE), tuple(said), bytes(received), failed, went_out)
    finally:
        handle.close()


def outcome_of(reply: Reply, *, provider_id: str = "") -> Outcome:
    """Return the outcome of a call with this reply. A redirect is not followed: it is a refusal."""
    if reply.failed == NOT_PUBLIC:
        return RefusedForGood(NOT_PUBLIC)
    if not reply.has_status:
        return Unknown(reply.failed) if reply.went_out else NotTaken(reply.failed)
    said = f"HTTP {reply.status}"
    if reply.status < HTTPStatus.MULTIPLE_CHOICES:
        return Sent(provider_id)
    if reply.status in NOT_NOW:
        return NotTaken(said)
    return RefusedForGood(said) if reply.status < HTTPStatus.INTERNAL_SERVER_ERROR else Unknown(said)


def _perform(handle: Handle) -> str:
    """Do what was prepared; return the name of the error, empty if there was none."""
    try:
        handle.perform()
    except pycurl.error as error:
        return ERRORS.get(int(error.args[0]), LOST)
    return ""
