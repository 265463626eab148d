"""Versioning of the rows of equipment2."""

from andon.versions.aggregate import aggregates_of
from services.equipment2.machine import MACHINE

AGGREGATES = aggregates_of(MACHINE)
