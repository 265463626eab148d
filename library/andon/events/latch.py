"""The latch: an attribute by which a row says that its trigger publishes nothing of it.

Who brings a row back, or takes it over from elsewhere, closes the latch: it was published before. A command that
changes the row writes it without.

A row that was taken over also says where its last edit was made, as its `origin`; a row without one was edited here.
"""

from typing import Final

from andon.runtime.json_types import JsonMapping

LATCHED: Final = "latched"
ORIGIN: Final = "origin"


def is_latched(image: JsonMapping | None) -> bool:
    """Return True if a row is latched, by its image in a stream (typed attribute values)."""
    return isinstance(image, dict) and isinstance(image.get(LATCHED), dict) and bool(image[LATCHED].get("BOOL"))


def is_same_version(images: JsonMapping) -> bool:
    """Return True if a row is still of the version that it was, by both its images in a stream."""
    old, new = (images.get(name) or {} for name in ("OldImage", "NewImage"))
    return "version" in old and old["version"] == new.get("version")


def is_crossed(image: JsonMapping | None) -> bool:
    """Return True if a row crossed over from another service, by its image in a stream."""
    return is_latched(image) and isinstance(image, dict) and ORIGIN in image
