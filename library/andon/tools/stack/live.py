"""Live connections: a WebSocket to the emulator's AWS IoT, which it knows by its `Host`.

A page of any site can open a WebSocket to any port of this machine, and a browser says with it where the page is from.
So `Origin` has to be that of this system's own page, at the same port.

Standard library only: the emulator's process, which has an environment of its own, imports it, too.
"""

import re
from collections.abc import Iterable
from typing import Final

from andon.tools.stack.http1 import MessageHead

# The address of AWS IoT, for this machine. Browsers resolve every name below `localhost` to it.
_HOST: Final = re.compile(r"[a-z0-9-]+\.iot\.[a-z0-9-]+\.localhost(:\d+)?")
SWITCHES: Final = (("connection", "Upgrade"), ("upgrade", "websocket"))
"""Headers of an upgrade, in request and response; they are about one connection, so that a front writes its own."""
_OWN_NAMES: Final = ("127.0.0.1", "localhost")


def wants(head: MessageHead) -> bool:
    """Return True if a request asks for a WebSocket (RFC 6455, 4.1)."""
    return [one.lower() for one in head.all("upgrade")] == ["websocket"]


def refusal(headers: Iterable[tuple[str, str]]) -> str | None:
    """Return why a request for a WebSocket is refused; None if it is for AWS IoT, and not from a foreign page."""
    listed = list(headers)
    hosts, origins = (_values(listed, name) for name in ("host", "origin"))
    if len(hosts) != 1 or not (found := _HOST.fullmatch(hosts[0])):
        return "live connections are to AWS IoT only"
    own = {f"http://{name}{found[1] or ''}" for name in _OWN_NAMES}
    return "Origin is another site" if len(origins) > 1 or set(origins) - own else None


def refusal_of_origin(headers: Iterable[tuple[str, str]]) -> str | None:
    """Return why the emulator refuses one: every browser names an origin, and the front, which passed it, does not."""
    listed = list(headers)
    return "pages connect at the front" if _values(listed, "origin") else refusal(listed)


def upgrade(head: MessageHead) -> bytes:
    """Return the request for the emulator."""
    passed = [(name, value) for name, value in head.headers if name.lower() != "origin"]
    return MessageHead(head.start, tuple(passed)).encoded(head.start, *SWITCHES)


def _values(headers: list[tuple[str, str]], name: str) -> list[str]:
    return [value.strip().lower() for known, value in headers if known.lower() == name]
