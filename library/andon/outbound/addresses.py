"""Addresses of people: mail, phone, host, browser. Pure."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

import orjson

# What all servers of mail take unquoted; no name, no comment, no second address, no line's end.
# https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
MAIL_PATTERN: Final = (
    r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$"
)
MOST_CHARACTERS_OF_MAIL: Final = 254
# E.164, as SNS wants it.
PHONE_PATTERN: Final = r"^\+[1-9][0-9]{6,14}$"

_SHOWN: Final = 2


def mail_address(text: str) -> str:
    """Return `text` if it is an address of mail.

    Raises:
        ValueError: it is none.

    """
    if len(text) > MOST_CHARACTERS_OF_MAIL or not re.fullmatch(MAIL_PATTERN, text):
        raise ValueError("must be an e-mail address")
    return text


def phone_number(text: str) -> str:
    """Return `text` if it is a phone number with its country's code.

    Raises:
        ValueError: it is none.

    """
    if not re.fullmatch(PHONE_PATTERN, text):
        raise ValueError("must be a phone number with + and the country's code, without spaces: +5213312345678")
    return text


def masked_mail(address: str) -> str:
    """Return an address of mail as others see it: `a•••@e•••`, the same length for all."""
    name, _, host = address.rpartition("@")
    return f"{name[:1]}•••@{host[:1]}•••"


def masked_phone(number: str) -> str:
    """Return a phone number as others see it: its last two digits."""
    return f"•••{number[-_SHOWN:]}"


# Hosts that messages may go to: a stage's list, and the addresses that a person may give. Pure, without imports.
#
# An entry is a name, or `*.` and a name for all below it, and a port if it is not 443: `hooks.example.com:8443`.

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

ENTRY_PATTERN: Final = r"(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[1-9][0-9]{0,4})?"
"""Of an entry of a stage's list."""


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


# Base64 for addresses, without the characters at its end that fill it up. Pure.


def encoded(content: bytes) -> str:
    """Return the text of some bytes."""
    return urlsafe_b64encode(content).decode().rstrip("=")


def decoded(text: str) -> bytes:
    """Return the bytes of a text in its one form.

    Raises:
        ValueError: it is none. Python passes over foreign characters, and over bits at the end that nothing is made of.

    """
    content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encoded(content) != text:
        raise ValueError("must be base64url without padding")
    return content


# Subscriptions to web push, as a browser gives them: `PushSubscription.toJSON()`. Pure.
#
# https://www.w3.org/TR/push-api/#pushsubscription-interface

POINT_BYTES: Final = 65
AUTH_BYTES: Final = 16
_UNCOMPRESSED: Final = b"\x04"


class Subscription(NamedTuple):
    """Address of a browser at its push service, and the browser's keys."""

    target: Destination
    browser: bytes
    auth: bytes


def subscription_of(content: Mapping[str, Any], hosts: Hosts) -> Subscription:
    """Return a subscription at one of the hosts.

    Raises:
        ValueError: it is none, or its service is not on the list.

    """
    match content:
        case {"endpoint": str(endpoint), "keys": {"p256dh": str(point), "auth": str(secret)}}:
            browser, auth = decoded(point), decoded(secret)
            if len(browser) == POINT_BYTES and browser.startswith(_UNCOMPRESSED) and len(auth) == AUTH_BYTES:
                return Subscription(hosts.target_of(endpoint), browser, auth)
    raise ValueError("must be a subscription to push, with its endpoint and its keys")


def subscription_in(address: str, hosts: Hosts) -> Subscription:
    """Return the subscription that an address is, as JSON.

    Raises:
        ValueError: as `subscription_of`.

    """
    content = orjson.loads(address)
    if not isinstance(content, dict):
        raise HostRefused("must be a subscription")
    return subscription_of(content, hosts)
