"""The figures of a load test, for a person."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from andon.tools.percentile import percentile
from lab.in_lake import InLake

MEASURED: Final = Path(".local/load.json")
"""The file with the figures of the last load test."""

ACCEPTED: Final = "201"
SHARES: Final = (0.50, 0.95, 0.99)
SHOWN: Final = 5  # of the reports that did not arrive as they should


class Item(NamedTuple):
    """An item that one command writes and a view shows: one query shows the newest of a group."""

    group: str
    name: str


class Discrepancies(NamedTuple):
    """Items that a view lacks, has more than once, or has although no command for them was accepted."""

    missing: tuple[Item, ...]
    repeated: tuple[Item, ...]
    extra: tuple[Item, ...]

    @property
    def exact(self) -> bool:
        """True if every item arrived once and nothing else did."""
        return not any(self)


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
    arrivals: Discrepancies
    lake: InLake

    @property
    def good(self) -> bool:
        """True if every command was answered 201, its item is in the view once, and all facts are in the lake."""
        return {*self.answers} == {ACCEPTED} and self.arrivals.exact and not self.not_seen and self.lake.complete


def arrivals(sent: Sequence[Item], found: Sequence[Item]) -> Discrepancies:
    """Compare what was sent with what a view answered, page after page."""
    times_found, wanted = Counter(found), set(sent)
    return Discrepancies(
        missing=tuple(item for item in sent if item not in times_found),
        repeated=tuple(item for item, times in times_found.items() if times > 1),
        extra=tuple(item for item in times_found if item not in wanted),
    )


def report(figures: Figures) -> str:
    """Return the figures as text; every line says what was measured."""
    count, lake = figures.answers.total(), figures.lake
    late = f"; {figures.not_seen} NEVER SEEN" if figures.not_seen else ""
    every = f"by a query every {figures.look_every_s * 1000:.0f} ms"
    watched = f"{len(figures.seen_s) + figures.not_seen} watched, {every}{late}"
    refused = [f"{times} x {answer}" for answer, times in sorted(figures.answers.items()) if answer != ACCEPTED]
    bare = f"; WITHOUT BOTH IMAGES: {len(lake.without_images)}" if lake.without_images else ""
    lines = [
        f"{count} {figures.what} from {figures.clients} clients, each sending when its last one was answered",
        f"{figures.sending_s:.1f} s, {count / figures.sending_s:.0f} a second",
        f"{'':20}{''.join(f'p{share * 100:.0f}'.rjust(10) for share in SHARES)}",
        _row("PUT answered", figures.put_s, f"all {len(figures.put_s)}"),
        _row("PUT -> readable", figures.seen_s, watched),
        f"the view had all of it at most {figures.complete_s:.1f} s after the last answer",
        *([f"NOT ACCEPTED: {', '.join(refused)}"] if refused else ()),
        *_verdict(figures.arrivals, figures.answers[ACCEPTED]),
        f"of {lake.published} facts that triggers published, missing in the lake: {len(lake.missing)}{bare}",
    ]
    return "\n".join(lines)


def _row(name: str, seconds: Sequence[float], of: str) -> str:
    measured = (percentile(seconds, share) for share in SHARES)
    columns = (f"{'-':>10}" if math.isnan(one) else f"{one * 1000:>7.0f} ms" for one in measured)
    return f"{name:20}{''.join(columns)}   ({of})"


def _verdict(found: Discrepancies, accepted: int) -> list[str]:
    if found.exact:
        return [f"each of the {accepted} is in the view once, and nothing else is"]
    named = zip(("MISSING", "MORE THAN ONCE", "NEVER ACCEPTED"), found, strict=True)
    return [f"{name}: {len(some)}, as {'; '.join(map(' '.join, some[:SHOWN]))}" for name, some in named if some]
