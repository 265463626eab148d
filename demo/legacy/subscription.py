"""The subscriptions of equipment2 to the legacy system: two more lines in its `ON`."""

from typing import Any, Final

from andon.runtime.message_batch import BatchResponse
from andon.sync.crossing import resource_crossing
from andon.views.materialize import Listener, materialize
from andon.views.view_update import Subscriptions
from demo.legacy.adapter import ASSET_DELETED, ASSET_EDITED
from demo.legacy.assets import ORIGIN
from demo.legacy.mapping import from_asset
from services.equipment2.resources import MACHINE

ASSETS: Final = resource_crossing(
    MACHINE,
    own="equipment2",
    theirs=ORIGIN,
    entity_in=lambda event: event.entity("asset"),
    from_theirs=from_asset,
)

ON: Subscriptions = {(ORIGIN, ASSET_EDITED): ASSETS, (ORIGIN, ASSET_DELETED): ASSETS}

VIEW = Listener(name="equipment2", table=MACHINE.table, on=ON, ttl_days=None, is_rebuilt=False)


def handler(event: dict[str, Any], context: Any) -> BatchResponse:  # noqa: ANN401  Lambda's context
    """Handle a batch of the service's queue."""
    return materialize(event, context, listener=VIEW)
