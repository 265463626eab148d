"""An order of an agenda in responses. Listeners and triggers do not import this."""

from andon.http.models import ResponseModel
from andon.http.openapi import Absent
from contract.entities.maintenance import OrderStatus, Result


class PlannedOrder(ResponseModel):
    """An order; times are fixed-width UTC, days are UTC. `date` is the day in its id."""

    equipmentId: str  # noqa: N815  the contract's name
    date: str
    kind: str
    plannedFor: str  # noqa: N815
    minutes: int | Absent = None
    status: OrderStatus
    startedAt: str | Absent = None  # noqa: N815
    finishedAt: str | Absent = None  # noqa: N815
    result: Result | Absent = None
