"""Revisions behind the current rows of equipment: they are no facts of their own."""

from andon.versions.versioned_write import KeptRevisions
from services.equipment import audit, metadata

REVISIONS: KeptRevisions = {
    metadata.DISCRIMINATOR: metadata.EQUIPMENT.kept_revision,
    audit.DISCRIMINATOR: audit.kept_revision,
}
