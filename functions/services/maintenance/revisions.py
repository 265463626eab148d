"""Revisions behind the current rows of maintenance: they are no facts of their own."""

from andon.versions.versioned_write import KeptRevisions
from services.maintenance import instructions, order

REVISIONS: KeptRevisions = {
    order.DISCRIMINATOR: order.kept_revision,
    instructions.DISCRIMINATOR: instructions.kept_revision,
}
