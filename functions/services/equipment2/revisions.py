"""Revisions behind the current rows of equipment2: they are no facts of their own."""

from andon.versions.versioned_write import KeptRevisions
from services.equipment2 import machine

REVISIONS: KeptRevisions = {machine.DISCRIMINATOR: machine.MACHINE.kept_revision}
