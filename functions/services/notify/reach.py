"""The ways by which a person is told, in their order; in quiet hours the silent ones come first."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from andon.outbound.channels import PER_SECOND, per_day
from andon.outbound.delivery import Notice, Wake, Way
from contract import zones
from services.notify.contact import address_of, reach_of
from services.notify.words import ENGLISH

ORDER: Final = ("push", "sms", "mail", "webhook")
LOUD: Final = frozenset({"push", "sms"})
PER_HOUR: Final = {"sms": 6}
LANGUAGE: Final = ENGLISH


def ways_of(wake: Wake, due: Sequence[Notice], now_ms: int) -> list[Way]:
    """Read by which ways a person is told now."""
    reach = reach_of(wake.recipient)
    contact = None if reach is None else {**reach["contact"], "verified": reach["verified"]}
    is_urgent = any(notice.is_urgent for notice in due)
    return [] if contact is None else ways_in(contact, now_ms, is_urgent=is_urgent)


def ways_in(contact: Mapping[str, Any], now_ms: int, *, is_urgent: bool) -> list[Way]:
    """Return the ways of a contact, to verified addresses alone. Quiet hours change the channel, never the time."""
    ways = [*_ways(contact)]
    is_quiet = not is_urgent and in_quiet_hours(contact.get("quietHours"), now_ms)
    return sorted(ways, key=lambda way: way.is_loud) if is_quiet else ways


def in_quiet_hours(hours: Mapping[str, str] | None, now_ms: int) -> bool:
    """Return True if it is quiet; hours: `{from, to, timezone}`, wall-clock times as `22:00`; None: it never is."""
    if hours is None:
        return False
    time = f"{zones.wall_time(now_ms, hours['timezone']):%H:%M}"
    begins, ends = hours["from"], hours["to"]
    return begins <= time < ends if begins <= ends else time >= begins or time < ends


def way_to(channel: str, address: object, language: str) -> Way:
    """Return the way to an address, with its limits; channels take one that has parts as JSON."""
    return Way(
        channel,
        address if isinstance(address, str) else json.dumps(address),
        per_hour=PER_HOUR.get(channel),
        language=language,
        host=_host(address),
        per_second=PER_SECOND.get(channel),
        per_day=per_day(channel),
    )


def _ways(contact: Mapping[str, Any]) -> Iterator[Way]:
    language = contact.get("language", LANGUAGE)
    for channel in contact.get("order", ORDER):
        if channel in contact.get("verified", ()):
            address = address_of(contact, channel)
            if address is not None:
                yield way_to(channel, address, language)._replace(is_loud=channel in LOUD)


def _host(address: object) -> str:
    """Return the host of an address, empty if it has none."""
    match address:
        case str(text) | {"endpoint": str(text)}:
            return urlsplit(text).hostname or ""
    return ""
