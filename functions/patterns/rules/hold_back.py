"""How long a decision waits for events that are still on their way: what arrives later changes no decision."""

import os
from typing import Final

VARIABLE: Final = "HOLD_BACK_SECONDS"
DEFAULT_SECONDS: Final = 30


def hold_back_ms() -> int:
    """Tell the hold-back in milliseconds; the environment may say another one than `DEFAULT_SECONDS`."""
    return round(float(os.environ.get(VARIABLE, DEFAULT_SECONDS)) * 1000)
