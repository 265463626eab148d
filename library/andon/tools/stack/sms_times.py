"""The time of each SMS, beside what the emulator keeps of it, as it does for mails: `Timestamp`, epoch seconds."""

import time
from collections.abc import Callable
from typing import Any

Record = dict[str, Any]


class _Timed:
    """The SMS of a number, to which one can be added."""

    def __init__(self, kept: list[Record]) -> None:
        self._kept = kept

    def append(self, record: Record) -> None:
        """Add an SMS that was just sent."""
        self._kept.append({**record, "Timestamp": time.time()})


def timed(log_for: Callable[[str], list[Record]]) -> Callable[[str], _Timed]:
    """Return the emulator's `_sms_log_for` with times; it is used for nothing but adding."""
    return lambda number: _Timed(log_for(number))
