"""The share of writes that compaction saves."""

import random
from collections.abc import Sequence
from typing import Final

from andon.events.received import Received
from andon.runtime import clock
from andon.views.compaction import Message, compact
from andon.views.materialize import interpret
from lab.figure import Figure, Goal
from lab.workload import reported
from views.board.view import ON

BATCH: Final = 1000
BATCHES: Final = 10
EQUIPMENT: Final = 10_000
SKEW: Final = 0.99

BURST: Final = 3
SMALL_BATCH: Final = 10


def figures() -> list[Figure]:
    """Compact batches of reports to the board, as `materialize` does."""
    return [
        Figure(f"writes saved, Zipf {SKEW} of {EQUIPMENT:,}, batch {BATCH}", saved(zipf(), BATCH), "%", Goal("≥", 35)),
        Figure(
            f"writes saved, bursts of {BURST}, batch {SMALL_BATCH}", saved(bursts(), SMALL_BATCH), "%", Goal("≥", 60)
        ),
    ]


def zipf() -> list[int]:
    """Draw equipment, some of it far more often than most."""
    weights = [rank**-SKEW for rank in range(1, EQUIPMENT + 1)]
    return random.Random(1).choices(range(EQUIPMENT), weights, k=BATCH * BATCHES)  # noqa: S311  no secret


def bursts() -> list[int]:
    """Let each piece of equipment report several times in a row."""
    return [number // BURST for number in range(30 * BURST)]


def saved(equipment: Sequence[int], batch: int) -> float:
    """Return the percentage of messages that need no write of their own."""
    now_ms = clock.now_ms()
    bodies = reported(equipment, now_ms=now_ms)
    messages = [Message(Received("", alone=body), *interpret(body, ON, now_ms=now_ms)) for body in bodies]
    writes = sum(len(compact(messages[start : start + batch])) for start in range(0, len(messages), batch))
    return 100 * (1 - writes / len(messages))
