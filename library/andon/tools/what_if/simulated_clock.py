"""The clock of a replay, in the place of the product's only one."""

from andon.runtime import clock


class SimulatedClock:
    """Says the time that it is set to. was_read: somebody asked for it."""

    def __init__(self) -> None:
        self.at_ms, self.was_read = 0, False

    def stand_in(self) -> None:
        """Take the place of the real one, in this process, for good."""
        clock.now_ms = self.now_ms

    def now_ms(self) -> int:
        """Return the time in epoch milliseconds."""
        self.was_read = True
        return self.at_ms
