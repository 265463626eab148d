"""Objects of the lake that reports become, and the requests for what is recorded, each a data event of a trail.

Each hour the archive's sweep reads all objects of the day again, and a look at each view reads what was recorded of
some subjects. Assumed: the stage is a year old, each shard has an actor, an event comes on its own day, and a sweep
ends in time.
"""

from functools import reduce
from math import ceil
from typing import Final, NamedTuple

from andon.cdk.queues import FEWEST
from andon.drift import compare
from andon.packages.discovery import recomputed
from andon.recorded.archive import SHARDS
from andon.recorded.reader import NEWEST, SAMPLED
from andon.stores.archive.lines import MOST_BYTES, OVERHEAD_BYTES
from andon.stores.archive.store import KINDS
from andon.stores.archive.sweep_days import LATEST_DAYS
from lab.simulate import limits
from lab.simulate.grouping import ENVELOPE_BYTES, LAKE, message_to
from lab.simulate.model import FleetModel

YEAR_DAYS: Final = 365
DAY_HOURS: Final = 24
HOUR_S: Final = 3_600


def lake_facts(model: FleetModel) -> float:
    """Return the facts in the lake that a report becomes, each a line."""
    return model.counted.facts_to(LAKE)


def lake_objects(model: FleetModel, rate: float) -> float:
    """Return the objects of the lake that a report makes: as many messages become one as an invocation may get."""
    message = message_to(model, LAKE, rate)
    messages = lake_facts(model) / message.facts
    size, window_s = model.target.lake_batch
    fitting = limits.PAYLOAD_BYTES.value / (message.size + ENVELOPE_BYTES)
    full = min(size, fitting, messages * rate * window_s / FEWEST)
    return messages / max(1.0, full)


def of_a_report(model: FleetModel, rate: float) -> float:
    """Return the requests that a report makes: the lake's objects are put, and read by the sweeps of their day."""
    line_bytes = model.counted.fact_bytes / lake_facts(model) + ENVELOPE_BYTES + OVERHEAD_BYTES
    return lake_objects(model, rate) * (1 + reads(lake_facts(model) * rate * HOUR_S * line_bytes))


def reads(hour_bytes: float) -> float:
    """Return the number of reads of an object of the lake by the sweeps of its day; hour_bytes: of an hour's events."""
    hours = range(1, DAY_HOURS + 1)
    return sum(hour / DAY_HOURS * passes(hour * hour_bytes) for hour in hours)


def passes(held_bytes: float) -> int:
    """Return the number of times that a sweep reads a day: each for as many shards as memory holds, one at the least.

    held_bytes: of its events, once for their subjects; people are in few of them.
    """
    at_once = max(1, int(MOST_BYTES / (held_bytes / SHARDS)))
    return ceil(SHARDS / at_once)


class Requests(NamedTuple):
    """Requests to S3: GETs; PUTs and LISTs, which cost as much; DELETEs, which cost nothing."""

    reads: int
    writes: int
    deletes: int = 0

    @property
    def total(self) -> int:
        """All of them, each a data event."""
        return sum(self)

    def plus(self, other: "Requests") -> "Requests":
        """Return the sums."""
        return Requests(*(one + another for one, another in zip(self, other, strict=True)))

    def times(self, count: int) -> "Requests":
        """Return so many times as many."""
        return Requests(*(one * count for one in self))


def of_a_day(*, is_quiet: bool = False) -> Requests:
    """Return the requests of a day however few report; one of its sweeps, and one look at a view, are at all days.

    is_quiet: nothing happens, so that no day is written, and no other run looks at a view.
    """
    ttls = [one.view.TTL_DAYS for one in recomputed()]
    looks = (of_look(YEAR_DAYS if days is None else days + compare.LATEST_DAYS) for days in ttls)
    looked = 1 if is_quiet else DAY_HOURS
    asked = OF_QUESTION.times((DAY_HOURS - 1) * len(ttls))
    sweeps = [
        of_sweep(1 + LATEST_DAYS, is_quiet=is_quiet).times(DAY_HOURS - 1),
        of_sweep(YEAR_DAYS, is_quiet=is_quiet),
    ]
    return reduce(Requests.plus, [*sweeps, asked, *(look.times(looked) for look in looks)])


OF_QUESTION: Final = Requests(0, 1)
"""The question if anything has happened since the run before."""


def of_sweep(days: int, *, is_quiet: bool = False) -> Requests:
    """Return the requests of a sweep that looks at so many days, and writes one, beside reading its objects."""
    kinds = 0 if is_quiet else len(KINDS)
    # Of each shard: its index, read and written; its data, written, and those of two runs before removed. Of each kind:
    # its manifest, read and written, and its data listed.
    of_kind = Requests(SHARDS + 1, 2 * SHARDS + 2, SHARDS)
    # What days there are, the objects of each, and its manifests.
    return Requests(days * len(KINDS), 1 + days).plus(of_kind.times(kinds))


def of_look(days: int) -> Requests:
    """Return the requests of a look at some subjects of a view that were recorded on each of so many days."""
    listed = 4  # when the lake began, the days of the archive twice, those of the lake
    newest = min(days, NEWEST)  # whose objects of the lake are listed, and read
    return Requests(1 + days * (1 + SAMPLED) + newest, listed + newest)  # an index; for each day one, and each subject
