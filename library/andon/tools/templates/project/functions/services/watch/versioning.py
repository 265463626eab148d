"""How what watch keeps is versioned: what its rules decide is decided once."""

from typing import Final

from andon.versions.aggregate import DECISION, Aggregates
from services.watch.rules import restless

AGGREGATES: Final[Aggregates] = {restless.THING_RESTLESS: DECISION}
