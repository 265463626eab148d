"""The latch: an attribute by which a row says that its trigger publishes nothing of it.

Who brings a row back, or takes it over from elsewhere, closes the latch: it was published before. A command that
changes the row writes it without.
"""

from collections.abc import Mapping
from typing import Any, Final

LATCHED: Final = "latched"


def is_latched(image: Mapping[str, Any] | None) -> bool:
    """Return whether a row is latched, from its image in a stream (typed attribute values)."""
    return isinstance(image, dict) and isinstance(image.get(LATCHED), dict) and bool(image[LATCHED].get("BOOL"))
