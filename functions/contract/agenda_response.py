"""An order of an agenda in responses. Listeners and triggers do not import this."""

from typing import Final, TypedDict

from andon.http.derived import Shown
from contract.agenda import KEPT


class PlannedOrder(TypedDict):
    """An order; times are fixed-width UTC, days are UTC. `date` is the day in its id."""

    equipmentId: str
    date: str
    kind: str
    plannedFor: str


ORDER: Final = Shown(PlannedOrder, "PlannedOrder", more=KEPT.declared)
