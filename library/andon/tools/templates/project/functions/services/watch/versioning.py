"""How what watch keeps is versioned: what its rules decide is decided once."""

from typing import Final

from andon.versions.aggregate import DECISION, Aggregates, aggregates_of
from services.watch.resources import INSPECTION
from services.watch.rules import overdue, restless

AGGREGATES: Final[Aggregates] = {
    restless.THING_RESTLESS: DECISION,
    # <others>
    overdue.THING_OVERDUE: DECISION,
    **aggregates_of(INSPECTION),
    # </others>
}
