"""The versioned things of equipment; see `facts.py` and `versioning.py` for the rest."""

from typing import Final

from services.equipment.audit import AUDITS
from services.equipment.metadata import EQUIPMENT

RESOURCES: Final = (EQUIPMENT, AUDITS)
