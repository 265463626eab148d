"""The adapter beside the legacy database: what was edited there -> bus; edits of equipment2 -> the database.

Each function can end anywhere and be called again: events have the same ids, and an edit is written once.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from andon.events.actor import ACTOR
from andon.events.bus_entry import from_message
from andon.events.domain_event import DomainEvent
from andon.events.publish import publish
from andon.events.topic import Topic
from andon.sync.crossing import Edit
from andon.views.outcome import Outcome
from demo.legacy import assets
from demo.legacy.assets import ORIGIN, Noted
from demo.legacy.mapping import to_asset

ASSET_EDITED: Final = "asset-edited"
ASSET_DELETED: Final = "asset-deleted"

THEIRS: Final = "equipment2"
TAKEN: Final[frozenset[Topic]] = frozenset(
    (THEIRS, f"machine-{what}") for what in ("created", "updated", "deleted", "undeleted")
)


def publish_edits(connection: sqlite3.Connection) -> int:
    """Publish what was edited in the database; return how many edits."""
    edits = assets.noted(connection)
    publish([event_of(edit) for edit in edits], source=ORIGIN)
    assets.forget(connection, edits)  # if this does not come to pass, all of them are published again
    return len(edits)


def take_edits(connection: sqlite3.Connection, bodies: Iterable[str]) -> Counter[Outcome]:
    """Write the edits in messages of a queue of `TAKEN` into the database; return what became of them."""
    return Counter(_take(connection, body) for body in bodies)


def event_of(edit: Noted) -> DomainEvent:
    """Return the domain event of an edit."""
    entity: dict[str, Any] = {"asset_no": edit.asset_no, **edit.asset} | ({"deleted": True} if edit.deleted else {})
    return DomainEvent(
        id=f"{ORIGIN}-{edit.number}",
        type=ASSET_DELETED if edit.deleted else ASSET_EDITED,
        timestamp_ms=edit.edited_ms,
        partition_key=edit.asset_no,
        entities={"asset": entity},
        tags={"source": ORIGIN, ACTOR: ORIGIN},
    )


def _take(connection: sqlite3.Connection, body: str) -> Outcome:
    source, event, *_ = from_message(body)
    machine = event.entity("machine")
    asset = None if machine.get("deleted") is True else to_asset(machine)
    return assets.take(connection, machine.text("id"), asset, Edit(event.timestamp_ms, source))
