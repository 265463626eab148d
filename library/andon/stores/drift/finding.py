"""A row that differed from its events, as it is kept. Pure."""

import re
from typing import Any

from andon.events.bus_entry import Delivery
from andon.events.drift import DriftEntity
from andon.recorded.dated_objects import DatedObjects
from andon.runtime import times
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject, members_of
from andon.stores.drift.store import BUCKET, FOLDER
from andon.wire.bucket import Bucket

_ID = re.compile("[0-9A-Za-z_-]{1,128}", re.ASCII)  # ids stand in keys as they are


class Finding(DriftEntity):
    """A row that differed from its events; `timestamp` is fixed-width UTC.

    kinds: `values`: it said something else of the same events. `ahead`: it had an order that lies ahead of all clocks.
    `ttl`: it would have expired too early or too late. `missing`: it had not seen an event. `unknown`: it had seen one
    that the lake does not have. repair: by which writes it was ended; `unknown` is not.
    """

    id: str
    timestamp: str


def finding_in(delivery: Delivery, *, now_ms: int) -> Finding:
    """Read an event of type `drift-detected`; one from the future would stay the newest for good, and is of now.

    Raises:
        Poison: it cannot be kept, or somebody else than the view says it.

    """
    event, entity = delivery.event, delivery.event.entity("drift")
    if entity.text("view") != delivery.source:
        raise Poison(f"{delivery.source} says what drifted in another view")
    if not _ID.fullmatch(event.id):
        raise Poison("not a finding as our views publish them")
    found = {
        "id": event.id,
        "timestamp": times.to_utc(times.known_by(event.timestamp_ms, now_ms=now_ms)),
        "view": entity.text("view"),
        "key": _object(entity.get("key")),
        "kinds": list(entity.get("kinds") or ()),
        "fields": _object(entity.get("fields")),
        "repair": entity.text("repair"),
    }
    return members_of(Finding, found)


def _object(value: Any) -> JsonObject:  # noqa: ANN401  others may have written anything there
    if not isinstance(value, dict):
        raise Poison("not a finding as our views publish them")
    return value


# Storage of findings: an object for each, in a folder for each day.

_bucket = Bucket(BUCKET)

KEPT = DatedObjects(_bucket, FOLDER, Finding)


def keep(finding: Finding) -> bool:
    """Keep a finding, once; return True if it is new."""
    return _bucket.put_if_absent(KEPT.key_of(finding), finding)
