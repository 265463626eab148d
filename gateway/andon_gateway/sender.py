"""Store -> API: one batch in flight, until each report was taken or refused."""

import threading
from collections import Counter
from random import Random
from typing import Final

from andon_gateway.north import North
from andon_gateway.pauses import FIRST_S, pause_s
from andon_gateway.store import Store, Unavailable
from andon_gateway.verdict import Verdict

REPORTS_AT_ONCE: Final = 100  # contract.entities.reports.REPORTS_AT_ONCE
_LONGEST_S: Final = 300.0
IDLE_S: Final = 0.2


class Sender:
    """Sends waiting reports; first_s: the longest first pause."""

    def __init__(
        self,
        store: Store,
        north: North,
        *,
        counts: Counter[str],
        chance: Random | None = None,
        first_s: float = FIRST_S,
    ) -> None:
        """Begin with a full batch."""
        self._store = store
        self._north = north
        self._counts = counts
        self._chance = chance or Random()  # noqa: S311  a pause is no secret
        self._first_s = first_s
        self._failures = 0
        self._at_once = REPORTS_AT_ONCE
        self.trouble: str | None = None

    def run(self, stopped: threading.Event) -> None:
        """Send until it is stopped."""
        while not stopped.wait(self.step()):
            pass

    def step(self) -> float:
        """Send one batch; return the seconds to wait before the next one.

        What was taken, and cannot be let go of, is sent again: the API knows it by its content.
        """
        try:
            return self._send()
        except Unavailable as error:
            self.trouble = f"the store: {error}"
            return self._longer()

    def _send(self) -> float:
        batch = self._store.oldest(self._at_once)
        if not batch:
            self.trouble = self._north.keep()
            return self._longer() if self.trouble else IDLE_S
        count, verdict = self._north.send(batch)
        numbers = [one.number for one in batch[:count]]
        refused = {numbers[index]: reason for index, reason in verdict.refused.items()}
        self._store.settle([numbers[index] for index in verdict.done], refused)
        self._counts["sent"] += len(verdict.done)
        self._counts["refused"] += len(refused)
        self.trouble = verdict.trouble
        return self._pause(verdict, count)

    def _pause(self, verdict: Verdict, count: int) -> float:
        if verdict.is_too_much:
            self._at_once = max(1, count // 2)
            return 0
        if not verdict.waits:
            # A batch of one that was refused leaves its neighbours to be tried together again, twice as many each time.
            self._at_once = min(self._at_once * 2, REPORTS_AT_ONCE)
            self._failures = 0
            return 0
        return max(self._longer(), verdict.at_least_s)

    def _longer(self) -> float:
        """Return the pause after a failure; they grow until something was taken, not until somebody let us in."""
        self._counts["failures"] += 1
        found_s = pause_s(self._failures, longest_s=_LONGEST_S, chance=self._chance, first_s=self._first_s)
        self._failures += 1
        return found_s
