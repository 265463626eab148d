"""Rows of expired reports, rehydrated from their events. Pure."""

from typing import Final

from andon.events.domain_event import DomainEvent
from andon.events.upcast import Upcasters
from andon.runtime.errors import Poison
from andon.views.restored_row import RestoredRow
from andon.views.view_update import Subscriptions
from contract import old_shapes
from services.equipment import state
from services.equipment.tables import KEYS, partition_of

SOURCE: Final = "equipment"


def on_state_reported(event: DomainEvent) -> RestoredRow:
    """Bring back the row of a report. One that went straight to the bus never had a row.

    Raises:
        Poison: the event has an image of something else.

    """
    row = event.raw.get("new") if isinstance(event.raw, dict) else None
    if row is None:
        return RestoredRow(keys=KEYS, row=None)
    report = event.entity("state")
    key = KEYS.of(partition_of(report.text("equipmentId")), report.text("timestamp"))
    if not isinstance(row, dict) or {**row, **key} != row or row.get("discriminator") != state.DISCRIMINATOR:
        raise Poison("the image is not of the report")
    return RestoredRow(keys=KEYS, row=row)


ON: Subscriptions = {(SOURCE, state.STATE_REPORTED): on_state_reported}

UPCASTERS: Upcasters = {(SOURCE, state.STATE_REPORTED): (old_shapes.state_reported_v0,)}
