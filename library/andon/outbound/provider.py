"""Calls of providers, each sent once: to AWS, on behalf of people, and to hosts of somebody else's.

A call that fails is not made again here: who is told how often is decided in `sender.py` alone. Each has a handle of
its own, and so a new connection: over one that was kept, libcurl sends again by itself if it ends before the response
begins.
"""

import os
import re
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, NamedTuple

import orjson
import pycurl

from andon.outbound import variables
from andon.outbound.addresses import Destination
from andon.outbound.delivery import NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.wire import retries
from andon.wire.aws_json import endpoint_of
from andon.wire.credentials import credentials, region
from andon.wire.curl import ERRORS, LOST, Handle, new_handle
from andon.wire.deadline import time_of_attempt_ms

# A POST over libcurl.

LONGEST_MS: Final = 5_000
MOST_BYTES: Final = 65_536  # of a response: providers answer with a few hundred
_USER_AGENT: Final = "Andon"

# The name of the failure of a request whose host has an address that is not public, see `https`.
NOT_PUBLIC: Final = "AddressNotPublic"

# Refusals that count for now, https://www.rfc-editor.org/rfc/rfc9110#status.408 and RFC 8470, 6585.
_NOT_NOW: Final = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}


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
        """True if the host has answered; a later break does not matter."""
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
        (pycurl.USERAGENT, _USER_AGENT),
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
    if reply.status in _NOT_NOW:
        return NotTaken(said)
    return RefusedForGood(said) if reply.status < HTTPStatus.INTERNAL_SERVER_ERROR else Unknown(said)


def _perform(handle: Handle) -> str:
    """Perform a prepared request; return the name of the error, empty if there was none."""
    try:
        handle.perform()
    except pycurl.error as error:
        return ERRORS.get(int(error.args[0]), LOST)
    return ""


# A call of AWS, once: what is sent to people must not be sent again by a wire that tries again by itself.

# AWS refuses this account, whoever the recipient is. SES has these besides 403:
# https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
_OF_THE_ACCOUNT: Final = frozenset(
    {
        "AccountSuspendedException",
        "LimitExceededException",
        "MailFromDomainNotVerifiedException",
        "NotFoundException",
        "SendingPausedException",
    }
)

_CODE: Final = re.compile(r"[A-Za-z0-9]{1,64}")
_ERROR_IN_XML: Final = re.compile(rb"<Error>.*?<Code>([^<]*)</Code>", re.DOTALL)
_CODE_HEADER: Final = b"x-amzn-errortype:"


class AwsService(NamedTuple):
    """A service; host: the first part of its name; variable: the end of `AWS_ENDPOINT_URL_…`; signed_as: its name."""

    host: str
    variable: str
    signed_as: str


def call_once(service: AwsService, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
    """Post a signed request to a service, once."""
    found = credentials()
    token = {"X-Amz-Security-Token": found.token} if found.token else {}

    def sign(handle: Handle) -> None:
        handle.setopt(pycurl.AWS_SIGV4, f"aws:amz:{region()}:{service.signed_as}")
        handle.setopt(pycurl.USERPWD, f"{found.key_id}:{found.secret}")

    return post_once(f"{endpoint_of(service.host, service.variable)}{path}", {**headers, **token}, body, prepare=sign)


def outcome_of_call(reply: Reply, *, provider_id: str = "") -> Outcome:
    """Return the outcome of a call of AWS; reasons are AWS's names of errors, without their words, which may quote.

    A refusal of the account is none of the recipient: the breaker counts it, and the next channel is tried.
    """
    outcome = outcome_of(reply, provider_id=provider_id)
    if isinstance(outcome, Sent) or not reply.has_status:
        return outcome
    code = _code_in(reply) or outcome.reason
    if isinstance(outcome, Unknown):
        return Unknown(code)
    is_of_account = reply.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN} or code in _OF_THE_ACCOUNT
    not_taken = is_of_account or isinstance(outcome, NotTaken) or retries.is_throttled(code)
    return NotTaken(code) if not_taken else RefusedForGood(code)


def _code_in(reply: Reply) -> str:
    """Return the code of an error, as each of AWS's protocols has it; empty if there is none."""
    header = next((line for line in reply.headers if line[: len(_CODE_HEADER)].lower() == _CODE_HEADER), b"")
    in_xml = _ERROR_IN_XML.search(reply.body)
    written = header[len(_CODE_HEADER) :] or (in_xml[1] if in_xml else _type_in(reply.body).encode())
    plain = written.decode("latin-1").strip().partition(":")[0].rpartition("#")[2]
    return plain if _CODE.fullmatch(plain) else ""


def _type_in(body: bytes) -> str:
    try:
        said = orjson.loads(body)
    except ValueError:
        return ""
    return str(said.get("__type", "")) if isinstance(said, dict) else ""


# Addresses of the internet, told from those of our own network, of this machine and of AWS's metadata. Pure.
#
# https://www.iana.org/assignments/iana-ipv4-special-registry/ and …/iana-ipv6-special-registry/

# Link-local is the metadata's 169.254.169.254, and a whole block is refused where only a part of it is special.
NOT_PUBLIC_4: Final = tuple(
    map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
        ),
    )
)

# All that was ever given out; what tunnels lead to (Teredo, 6to4) and documentation lie within it.
_UNICAST_6: Final = IPv6Network("2000::/3")
_NOT_PUBLIC_6: Final = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3ffe::/16", "3fff::/20"))
)

# The gateways of networks that have IPv6 only: the last 32 bits are an address of IPv4, which counts.
NAT64: Final = IPv6Network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Return True if an address, as a socket has it, is one of the internet."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return _is_public_6(address)


def _is_public_6(address: IPv6Address) -> bool:
    if address in NAT64:
        return is_public(str(IPv4Address(int(address) & 0xFFFFFFFF)))
    # One that maps an address of IPv4 is refused with all that is not unicast: nobody's name has such an address.
    return address.scope_id is None and address in _UNICAST_6 and not any(address in one for one in _NOT_PUBLIC_6)


# A POST to a host of somebody else's: once, to a public address, and never on to another one.
#
# The address is checked where libcurl opens the socket, so that the one that is checked is the one that is connected
# to, whatever the name resolves to a moment later. No proxy of the environment stands between.

_SINK: Final = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}(?:/[a-z_-]+)*")


def post(target: Destination, headers: Mapping[str, str], body: bytes) -> Reply:
    """Send a request and wait for its response, as `post_once` does."""
    sink = os.environ.get(variables.SINK, "")
    if _SINK.fullmatch(sink):
        url = f"{sink}/{target.origin.removeprefix('https://')}{target.path}"
        return post_once(url, headers, body, prepare=_without_proxy)
    sockets = _Sockets()
    try:
        reply = post_once(target.url, headers, body, prepare=sockets.prepare)
    finally:
        sockets.close()
    return reply._replace(failed=NOT_PUBLIC) if reply.failed and sockets.is_refused else reply


class _Sockets:
    """Opens the sockets of one request, to public addresses."""

    def __init__(self) -> None:
        self.is_refused = False
        self._opened: list[socket.socket] = []

    def prepare(self, handle: Handle) -> None:
        """Let a request have no other sockets than these."""
        _without_proxy(handle)
        handle.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTPS)
        handle.setopt(pycurl.OPENSOCKETFUNCTION, self._open)

    def close(self) -> None:
        """Close them; libcurl had copies."""
        for opened in self._opened:
            opened.close()

    def _open(self, _purpose: int, address: tuple[int, int, int, tuple[str | int, ...]]) -> socket.socket | int:
        """Return a socket for an address if it is public, and so was each of the name's before it."""
        family, kind, protocol, found = address
        if self.is_refused or not is_public(str(found[0])):
            self.is_refused = True
            return pycurl.SOCKET_BAD
        self._opened.append(socket.socket(family, kind, protocol))
        return self._opened[-1]


def _without_proxy(handle: Handle) -> None:
    handle.setopt(pycurl.PROXY, "")
