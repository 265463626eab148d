"""The time after which equipment is silent; a listener needs it, too, and imports nothing else of the rules."""

from typing import Final

SILENT_AFTER_MS: Final = 30 * 60_000
"""Equipment that reports nothing for so long has gone silent."""
