"""Versioning of the rows of equipment2."""

from typing import Final

from andon.versions.aggregate import Aggregates, Frequency, of_resource
from services.equipment2.machine import MACHINE

AGGREGATES: Final[Aggregates] = of_resource(MACHINE, revised=Frequency.SELDOM, read=Frequency.OFTEN)
