"""The figures of a load test, for a person."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from andon.tools.percentile import percentile
from bench.in_lake import InLake

MEASURED: Final = Path(".local/load.json")
"""The file with the figures of the last load test."""

SHARES: Final = (0.50, 0.95, 0.99)
SHOWN: Final = 5  # of the reports that did not arrive as they should


class Item(NamedTuple):
    """An item that one command writes and a view shows: one query shows the newest of a group."""

    group: str
    name: str


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Items that a view lacks, has more than once, or has although no command for them was accepted."""

    missing: tuple[Item, ...]
    repeated: tuple[Item, ...]
    extra: tuple[Item, ...]

    @property
    def exact(self) -> bool:
        """True if every item arrived once and nothing else did."""
        return not (self.missing or self.repeated or self.extra)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A load test.

    what: what the commands are, in the plural; answers: how often each status (or error) was the answer to one.
    put_s: what each took; seen_s: from sending one until a query of the view showed its item, of those that were
    watched; not_seen: how many of these no query showed.
    complete_s: from the last answer until all of it was read from the view.
    """

    what: str
    clients: int
    sending_s: float
    answers: Counter[str]
    put_s: Sequence[float]
    seen_s: Sequence[float]
    not_seen: int
    look_every_s: float
    complete_s: float
    arrivals: Arrivals
    lake: InLake

    @property
    def good(self) -> bool:
        """True if every command was answered 201, its item is in the view once, and all facts are in the lake."""
        in_view = self.arrivals.exact and not self.not_seen
        return set(self.answers) == {"201"} and in_view and self.lake.complete


def arrivals(sent: Sequence[Item], found: Sequence[Item]) -> Arrivals:
    """Compare what was sent with what a view answered, page after page."""
    times_found = Counter(found)
    wanted = set(sent)
    return Arrivals(
        missing=tuple(item for item in sent if item not in times_found),
        repeated=tuple(item for item, times in times_found.items() if times > 1),
        extra=tuple(item for item in times_found if item not in wanted),
    )


def report(figures: Figures) -> str:
    """Return the figures as text; every line says what was measured."""
    count = figures.answers.total()
    lines = [
        f"{count} {figures.what} from {figures.clients} clients, each sending when its last one was answered",
        f"{figures.sending_s:.1f} s, {count / figures.sending_s:.0f} a second",
        f"{'':20}{''.join(f'p{share * 100:.0f}'.rjust(10) for share in SHARES)}",
        _row("PUT answered", figures.put_s, f"all {len(figures.put_s)}"),
        _row("PUT -> readable", figures.seen_s, _watched(figures)),
        f"the view had all of it at most {figures.complete_s:.1f} s after the last answer",
    ]
    refused = {answer: times for answer, times in figures.answers.items() if answer != "201"}
    if refused:
        listed = ", ".join(f"{times} x {answer}" for answer, times in sorted(refused.items()))
        lines.append(f"NOT ACCEPTED: {listed}")
    verdict = _verdict(figures.arrivals, count - sum(refused.values()))
    return "\n".join([*lines, *verdict, _verdict_on_lake(figures.lake)])


def _verdict_on_lake(lake: InLake) -> str:
    found = f"of {lake.published} facts that triggers published, missing in the lake: {len(lake.missing)}"
    return f"{found}; WITHOUT BOTH IMAGES: {len(lake.without_images)}" if lake.without_images else found


def _row(name: str, seconds: Sequence[float], of: str) -> str:
    return f"{name:20}{''.join(_ms(percentile(seconds, share)) for share in SHARES)}   ({of})"


def _ms(seconds: float) -> str:
    return f"{'-':>10}" if math.isnan(seconds) else f"{seconds * 1000:>7.0f} ms"


def _watched(figures: Figures) -> str:
    watched = len(figures.seen_s) + figures.not_seen
    late = f"; {figures.not_seen} NEVER SEEN" if figures.not_seen else ""
    return f"{watched} watched, by a query every {figures.look_every_s * 1000:.0f} ms{late}"


def _verdict(found: Arrivals, accepted: int) -> list[str]:
    if found.exact:
        return [f"each of the {accepted} is in the view once, and nothing else is"]
    kinds = (("MISSING", found.missing), ("MORE THAN ONCE", found.repeated), ("NEVER ACCEPTED", found.extra))
    return [
        f"{name}: {len(items)}, as {'; '.join(' '.join(item) for item in items[:SHOWN])}"
        for name, items in kinds
        if items
    ]
