"""Links of messages: their holder acknowledges logs for a person, without signing in.

`notify` signs them and `dispatch` verifies them, with a key that no other service can read.
"""

import os
from collections.abc import Sequence
from typing import Final

from andon.outbound.channels import Secret
from andon.outbound.links import Link, sign_what_fits, verify
from andon.outbound.variables import DEFAULT_LINK_HOURS, LINK_HOURS, LINK_ORIGIN, LINK_SECRET
from andon.runtime import times
from andon.runtime.clock import HOUR_MS
from contract.entities.logs import LogRef
from contract.log_rows import log_of

PURPOSE: Final = "seen"
"""The purpose: it counts for nothing else."""

VIA_LINK: Final = "link"
FRAGMENT: Final = "#a="

_SECRET: Final = Secret(LINK_SECRET)
_BETWEEN: Final = " "  # neither a state nor a number has one; an id, which may, comes last


def keys() -> tuple[bytes, ...]:
    """Return the keys that count: none where the deployment has no links."""
    return _SECRET.keys() if LINK_SECRET in os.environ else ()


def link_to(person: str, logs: Sequence[LogRef], *, longest: int, now_ms: int, language: str = "") -> str | None:
    """Return the address where a person says that they have seen logs: as many, from the first, as fit.

    Without logs, or where not even one fits, it is that of the page; None where the deployment has no address.
    longest: characters of a token. language: of the page, as `es`; empty: that of the browser.
    """
    origin, signing = os.environ.get(LINK_ORIGIN), keys()
    if not origin:
        return None
    expires = (now_ms + int(os.environ.get(LINK_HOURS, DEFAULT_LINK_HOURS)) * HOUR_MS) // 1000
    link = Link(person, tuple(map(reference_of, logs)), expires)
    token = sign_what_fits(link, purpose=PURPOSE, key=signing[0], longest=longest) if signing else None
    page = f"{origin}/?lang={language}" if language else f"{origin}/"
    return page if token is None else f"{page}{FRAGMENT}{token}"


def logs_of(token: str, *, now_ms: int) -> tuple[str, list[LogRef]]:
    """Return the person whom a token was signed for, and the logs that it names.

    Raises:
        Gone: it was not signed for this, has been changed, or has expired.

    """
    link = verify(token, purpose=PURPOSE, keys=keys(), now_ms=now_ms)
    return link.person, [*map(_log_of, link.references)]


def reference_of(log: LogRef) -> str:
    """Return a log as a link names it: short, for it stands in an SMS."""
    return _BETWEEN.join((log["state"], str(times.to_ms(log["timestamp"])), log["equipmentId"]))


def _log_of(reference: str) -> LogRef:
    state, at_ms, equipment_id = reference.split(_BETWEEN, 2)
    return log_of(equipment_id, state, times.to_utc(int(at_ms)))
