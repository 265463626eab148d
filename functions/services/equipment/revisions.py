"""Revisions behind the current rows of equipment: they are no facts of their own."""

from andon.versions.declared import kept
from services.equipment.audit import AUDITS
from services.equipment.metadata import EQUIPMENT

REVISIONS = kept(EQUIPMENT, AUDITS)
