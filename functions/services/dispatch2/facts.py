"""The types of the facts that dispatch2 publishes."""

from typing import Final

CREW_ASSIGNED: Final = "crew-assigned"

TYPES: Final = frozenset({CREW_ASSIGNED})
