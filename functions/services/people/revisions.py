"""Fences behind erasures: an erasure comes back when a region is lost, and with it its fence. Names do not."""

from andon.versions.versioned_write import KeptRevisions
from services.people import erasure

REVISIONS: KeptRevisions = {erasure.DISCRIMINATOR: erasure.fence_of}
