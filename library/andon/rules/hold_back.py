"""The hold-back: a decision waits so long for events that are on their way; `Rule.is_late` says which came too late."""

import os
from typing import Final

VARIABLE: Final = "HOLD_BACK_SECONDS"
DEFAULT_SECONDS: Final = 30


def hold_back_ms() -> int:
    """Return the hold-back in milliseconds: the environment's, or `DEFAULT_SECONDS`."""
    return round(float(os.environ.get(VARIABLE, DEFAULT_SECONDS)) * 1000)
