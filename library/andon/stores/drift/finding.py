"""A row that differed from its events, as it is kept. Pure."""

import re
from functools import partial
from typing import Any

from andon.events.bus_entry import Delivery
from andon.events.drift import DriftEntity
from andon.runtime import times
from andon.runtime.clock import DAY_MS
from andon.runtime.errors import Poison
from andon.runtime.json_types import JsonObject, kept_as, members_of
from andon.stores.drift.store import BUCKET, FOLDER
from andon.wire.bucket import Bucket
from andon.wire.newest_objects import page_of_newest

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
    """Read an event of type `drift-detected`; one whose time lies ahead would be the newest for good, and is of now.

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


def key_of(finding: Finding) -> str:
    """Return a finding's key: `drift/<day>/<milliseconds left of the day>-<id>.json`, the newest of a day first."""
    timestamp = finding["timestamp"]
    left_ms = DAY_MS - 1 - times.to_ms(timestamp) % DAY_MS
    return f"{FOLDER}/{timestamp[:10]}/{left_ms:08}-{finding['id']}.json"


def _object(value: Any) -> JsonObject:  # noqa: ANN401  others may have written anything there
    if not isinstance(value, dict):
        raise Poison("not a finding as our views publish them")
    return value


# Storage of findings: an object for each, in a folder for each day.

_bucket = Bucket(BUCKET)


def keep(finding: Finding) -> bool:
    """Keep a finding, once; return True if it is new."""
    return _bucket.put_if_absent(key_of(finding), finding)


def page(*, limit: int, after: str | None) -> tuple[list[Finding], str | None]:
    """Return up to `limit` findings, newest first, from behind the key `after`; and the last key, if there are more."""
    return page_of_newest(_bucket, FOLDER, partial(kept_as, Finding), limit=limit, after=after)
