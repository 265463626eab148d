"""Revisions behind the current rows of equipment2: they are no facts of their own."""

from andon.versions.declared import kept
from services.equipment2.machine import MACHINE

REVISIONS = kept(MACHINE)
