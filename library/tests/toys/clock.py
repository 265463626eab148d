"""The time at which the toys live."""

from typing import Final

from andon.runtime import times

NOW: Final = times.to_ms("2020-04-28T00:00:00Z")
