"""A POST to a host of somebody else's: once, to a public address, and never on to another one.

The address is checked where libcurl opens the socket, so that the one that is checked is the one that is connected to,
whatever the name resolves to a moment later. No proxy of the environment stands between.
"""

import os
import re
import socket
from collections.abc import Mapping
from typing import Final

import pycurl

from andon.outbound.hosts import Destination
from andon.outbound.once import NOT_PUBLIC, Reply, post_once
from andon.outbound.public_addresses import is_public
from andon.wire.curl import Handle

# On one machine all requests go to this server instead, as `…/<host><path>`: set by the infrastructure where the stage
# is local. It can be nothing but a port of the function's own machine, so that by mistake nobody else is reached.
SINK: Final = "OUTBOUND_SINK"
_SINK: Final = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}(?:/[a-z_-]+)*")


def post(target: Destination, headers: Mapping[str, str], body: bytes) -> Reply:
    """Send a request and wait for its response, as `post_once` does."""
    sink = os.environ.get(SINK, "")
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
