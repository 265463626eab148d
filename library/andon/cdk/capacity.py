"""Throughput of a table and of each of its indexes: on demand, or provisioned and paid for by the hour.

On demand costs nothing while nothing happens, so a stage begins with it. Provisioned capacity of which 70 % is used
costs two fifths of the same requests, and follows the load within minutes only. So it is for tables that are written at
much the same rate all the time, once that rate is known. What nobody uses at all is never scaled down: so a place
begins with what it is known to need, and with the least otherwise.
"""

from typing import Final, NamedTuple

ON_DEMAND: Final = "ON_DEMAND"
PROVISIONED: Final = "PROVISIONED"
MODES: Final = (ON_DEMAND, PROVISIONED)

# So much of the capacity is to be used, in percent: what Application Auto Scaling aims at.
USED: Final = 70

# Units a second, of a table or an index, for each report a second that the stage is made for.
FIRST_UNITS: Final = 4  # twice what the usual load uses, which is half of what the stage is made for
_MOST_UNITS: Final = 30  # if none of them is NORMAL
_LEAST_SHARE: Final = 1 / 40
_SELDOM_SHARE: Final = 1 / 10  # of writes that one report in ten makes, such as those of an index of its operator

# Of the reads of a view: a screen reads a row of each machine every five minutes, too fast for scaling. A table lends
# what it did not use for five minutes, and a machine reports once in them: so it takes a unit for each report.
_SHOWN_SHARE: Final = 1 / 2  # as the usual load is

# What AWS's console proposes.
_LEAST: Final = 5

# Of a table, and of an index, unless AWS has raised the quota.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
QUOTA: Final = 40_000

# Of all tables and indexes of an account in a region, unless AWS has raised it; of reads, and as much of writes.
QUOTA_OF_ACCOUNT: Final = 80_000

# Ten of them, which are the steady tables and their indexes, stay below the account's quota.
_MOST_AT_FIRST: Final = 7_900


class Throughput(NamedTuple):
    """Units a second."""

    reads: int
    writes: int


# What a new table or index on demand takes at once.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
NEW: Final = Throughput(reads=12_000, writes=4_000)


class Place(NamedTuple):
    """A steady table or an index of it: the uses of it that keep much the same rate all the time.

    is_shown: screens read it, in bursts.
    """

    reads_steadily: bool = False
    writes_steadily: bool = False
    is_shown: bool = False


class Capacity(NamedTuple):
    """Units a second that places have, of reads or of writes.

    least, most: between them it follows the load. shown: the least of the reads of a view's table. seldom, first: with
    these writes that are not steady begin, and what is steady: when it is created, or was on demand before. How much is
    asked for is not known then, and too little would be throttled for half an hour.
    """

    least: int
    seldom: int
    shown: int
    first: int
    most: int

    @classmethod
    def of(cls, mode: str, reports_per_second: float) -> "Capacity | None":
        """Return the capacity for the reports per second that the stage is made for; None: on demand."""
        if mode == ON_DEMAND:
            return None
        firsts = (_SELDOM_SHARE, _SHOWN_SHARE, FIRST_UNITS)
        seldom, shown, first = (min(_MOST_AT_FIRST, _units(share, reports_per_second)) for share in firsts)
        least, most = (min(QUOTA, _units(share, reports_per_second)) for share in (_LEAST_SHARE, _MOST_UNITS))
        return cls(least, seldom, shown, first, most)

    def least_of(self, place: Place) -> Throughput:
        """Return the minimum capacity of a place."""
        return Throughput(reads=self.shown if place.is_shown else self.least, writes=self.least)

    def first_of(self, place: Place) -> Throughput:
        """Return the initial capacity of a place."""
        return Throughput(
            reads=self.first if place.reads_steadily else self.least_of(place).reads,
            writes=self.first if place.writes_steadily else self.seldom,
        )


def warm(place: Place, reports_per_second: float) -> Throughput | None:
    """Return the warm throughput of a place on demand, if that is more than AWS lets every new one take.

    It is paid for once, and cannot be taken back.
    """
    first = min(QUOTA, _units(FIRST_UNITS, reports_per_second))
    asked = Throughput(
        reads=max(NEW.reads, first if place.reads_steadily else 0),
        writes=max(NEW.writes, first if place.writes_steadily else 0),
    )
    return None if asked == NEW else asked


def _units(share: float, reports_per_second: float) -> int:
    return max(_LEAST, round(reports_per_second * share))
