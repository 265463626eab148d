"""A row that differed from its events, as it is kept. Pure."""

import re
from typing import Any, TypedDict

from andon.events.domain_event import DomainEvent
from andon.events.drift import Differing
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Poison
from andon.stores.drift.store import FOLDER

_ID = re.compile("[0-9A-Za-z_-]{1,128}", re.ASCII)  # ids stand in keys as they are


class Finding(TypedDict):
    """Drift in a row of a view, and its repair; `timestamp` is fixed-width UTC."""

    id: str
    timestamp: str
    view: str
    key: dict[str, str]
    kinds: list[str]
    fields: dict[str, Differing]
    repair: str


def finding_in(event: DomainEvent) -> Finding:
    """Read an event of type `drift-detected`.

    Raises:
        Poison: it cannot be kept.

    """
    entity = event.entity("drift")
    if not _ID.fullmatch(event.id):
        raise Poison("not a finding as our views publish them")
    return {
        "id": event.id,
        "timestamp": times.to_utc(event.timestamp_ms),
        "view": entity.text("view"),
        "key": _object(entity.get("key")),
        "kinds": list(entity.get("kinds") or ()),
        "fields": _object(entity.get("fields")),
        "repair": entity.text("repair"),
    }


def key_of(finding: Finding) -> str:
    """Return a finding's key: `drift/<day>/<milliseconds left of the day>-<id>.json`, the newest of a day first."""
    timestamp = finding["timestamp"]
    left_ms = DAY_MS - 1 - times.to_ms(timestamp) % DAY_MS
    return f"{FOLDER}/{timestamp[:10]}/{left_ms:08}-{finding['id']}.json"


def _object(value: Any) -> dict[str, Any]:  # noqa: ANN401  others may have written anything there
    if not isinstance(value, dict):
        raise Poison("not a finding as our views publish them")
    return value
