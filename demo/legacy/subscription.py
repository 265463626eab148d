"""What equipment2 subscribes to beside equipment when the legacy system takes part: two more lines in its `ON`."""

from typing import Any, Final

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.ttl import ttl_at
from andon.events.domain_event import DomainEvent
from andon.runtime.message_batch import BatchResponse
from andon.sync.crossing import Content, Crossing
from andon.versions.versioned_write import Versions
from andon.views.materialize import Listener, materialize
from andon.views.row_write import Subscriptions
from demo.legacy.adapter import ASSET_DELETED, ASSET_EDITED
from demo.legacy.assets import ORIGIN
from demo.legacy.mapping import from_asset
from services.equipment2 import machine
from services.equipment2.tables import TABLE


def versions_of(event: DomainEvent) -> Versions:
    """Return where the versions of an asset are kept."""
    return machine.versions_of(event.entity("asset").text("asset_no"))


def from_legacy(event: DomainEvent, row: Item | None) -> Content:
    """Return what an edit makes of the current row."""
    asset = event.entity("asset")
    deleted = asset.get("deleted") is True
    ttl = {"ttl": ttl_at(event.timestamp_ms, machine.TOMBSTONE_DAYS)} if deleted else {}
    attributes = {**machine.mark_of(asset.text("asset_no")), **ttl}
    return Content(from_asset(asset, machine.row_of(row)), attributes, deleted=deleted)


ASSETS: Final = Crossing(own="equipment2", theirs=ORIGIN, versions_of=versions_of, from_theirs=from_legacy)

ON: Subscriptions = {(ORIGIN, ASSET_EDITED): ASSETS, (ORIGIN, ASSET_DELETED): ASSETS}

VIEW = Listener(name="equipment2", table=TABLE, on=ON, ttl_days=None, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, listener=VIEW)
