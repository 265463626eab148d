"""Revisions behind the current rows of maintenance: they are no facts of their own."""

from andon.versions.declared import kept
from andon.versions.versioned_write import KeptRevisions
from services.maintenance import order
from services.maintenance.instructions import INSTRUCTIONS

REVISIONS: KeptRevisions = {order.DISCRIMINATOR: order.kept_revision, **kept(INSTRUCTIONS)}
