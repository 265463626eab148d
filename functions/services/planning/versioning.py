"""Versioning of the rows of planning."""

from typing import Final

from andon.versions.aggregate import DECISION, Aggregates
from services.planning.decided import MAINTENANCE_OVERDUE, UPKEEP_CHANGED

AGGREGATES: Final[Aggregates] = {MAINTENANCE_OVERDUE: DECISION, UPKEEP_CHANGED: DECISION}
