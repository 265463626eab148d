"""Hosts that messages may go to: a stage's list, and the addresses that a person may give. Pure, without imports.

An entry is a name, or `*.` and a name for all below it, and a port if it is not 443: `hooks.example.com:8443`.
"""

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

MOST_CHARACTERS: Final = 2_048
PORT: Final = 443

PAGERDUTY: Final = ("events.pagerduty.com", "events.eu.pagerduty.com")
"""The hosts that are told that a subject is over: it is an incident there, which stays open until then."""

# Stricter than the standard, so that no two programs read one address in two ways: names in small ASCII letters, no
# user, no backslash, nothing that a URL would have to encode. What follows `#` stays with us, as a key of the host.
_ADDRESS: Final = re.compile(
    r"https://(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>(?:[/?][A-Za-z0-9%._~!$&'()*+,;=:@/?-]*)?)(?:#(?P<key>[A-Za-z0-9._~-]*))?"
)


_ENTRY: Final = re.compile(r"(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[1-9][0-9]{0,4})?")


def is_entry(text: str) -> bool:
    """Return True if a text is an entry of a list."""
    return _ENTRY.fullmatch(text) is not None


def is_at(host: str, names: Collection[str]) -> bool:
    """Return True if a host is one of these, or lies below one of them."""
    return any(host == name or host.endswith(f".{name}") for name in names)


class HostRefused(ValueError):
    """An address that no message goes to; its words say why, and have nothing of the address."""


class Destination(NamedTuple):
    """Destination of a request; path: with its query; key: behind the `#`, never a part of the request's address."""

    host: str
    port: int
    path: str
    key: str

    @property
    def url(self) -> str:
        """The address of the request."""
        return f"{self.origin}{self.path}"

    @property
    def origin(self) -> str:
        """Scheme, host and port, as RFC 6454 writes them."""
        return f"https://{self.host}" if self.port == PORT else f"https://{self.host}:{self.port}"


class Hosts:
    """The hosts of a list."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._entries = frozenset(entry if ":" in entry else f"{entry}:{PORT}" for entry in entries)

    def target_of(self, address: str) -> Destination:
        """Return the destination of an address.

        Raises:
            HostRefused: it is no https address in its plainest form, or its host is not on the list.

        """
        found = _ADDRESS.fullmatch(address) if len(address) <= MOST_CHARACTERS else None
        if found is None:
            raise HostRefused(f"must be an https address of at most {MOST_CHARACTERS} plain characters")
        target = Destination(found["host"], int(found["port"] or PORT), _path(found["path"]), found["key"] or "")
        if not self._has(target):
            raise HostRefused("must be at one of the hosts that this deployment allows")
        return target

    def _has(self, target: Destination) -> bool:
        labels = target.host.split(".")
        above = (".".join(labels[count:]) for count in range(1, len(labels)))
        names = (target.host, *(f"*.{name}" for name in above))
        return not self._entries.isdisjoint(f"{name}:{target.port}" for name in names)


def _path(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"
