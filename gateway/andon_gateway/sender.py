"""Store -> API: one batch in flight, until each report was taken or refused."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from andon_gateway.pauses import FIRST_S, pause_s
from andon_gateway.store import Store, Stored
from andon_gateway.verdict import Answer, Verdict, judge

REPORTS_AT_ONCE: Final = 100
LONGEST_S: Final = 300.0
IDLE_S: Final = 0.2

Send = Callable[[Sequence[Stored]], tuple[int, Answer | None]]
"""Sends reports of a batch; returns how many of them were in the request, and the answer."""


class Sender:
    """Sends what waits; renew: called when the token has ended. first_s: the longest first pause."""

    def __init__(
        self,
        store: Store,
        send: Send,
        *,
        counts: Counter[str],
        renew: Callable[[], None] = lambda: None,
        chance: Random | None = None,
        first_s: float = FIRST_S,
    ) -> None:
        """Begin with a full batch."""
        self._store = store
        self._send = send
        self._renew = renew
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
        """Send one batch; return the seconds to wait before the next one."""
        batch = self._store.oldest(self._at_once)
        if not batch:
            return IDLE_S
        count, answer = self._send(batch)
        verdict = judge(count, answer)
        numbers = [one.number for one in batch[:count]]
        refused = {numbers[index]: reason for index, reason in verdict.refused.items()}
        self._store.settle([numbers[index] for index in verdict.done], refused)
        self._counts["sent"] += len(verdict.done)
        self._counts["refused"] += len(refused)
        self.trouble = verdict.trouble
        return self._pause(verdict, count)

    def _pause(self, verdict: Verdict, count: int) -> float:
        if verdict.token_ended:
            self._renew()
        if verdict.is_too_much:
            self._at_once = max(1, count // 2)
            return 0
        if not verdict.waits:
            # A batch of one that was refused leaves its neighbours to be tried together again, twice as many each time.
            self._at_once = min(self._at_once * 2, REPORTS_AT_ONCE)
            self._failures = 0
            return 0
        self._counts["failures"] += 1
        found_s = pause_s(self._failures, longest_s=LONGEST_S, chance=self._chance, first_s=self._first_s)
        self._failures += 1
        return max(found_s, verdict.at_least_s)
