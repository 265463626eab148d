"""Throughput of a table and of each of its indexes: on demand, or provisioned and paid for by the hour.

Provisioned capacity of which 70 % is used costs two fifths of the same requests on demand, and follows the load within
minutes only. So it is for tables that are written at much the same rate all the time.
"""

from typing import Final, NamedTuple

ON_DEMAND: Final = "ON_DEMAND"
PROVISIONED: Final = "PROVISIONED"
MODES: Final = (ON_DEMAND, PROVISIONED)

# So much of the capacity is to be used, in percent: what Application Auto Scaling aims at.
USED: Final = 70

# Units a second, of a table or an index, for each report a second that the stage is made for.
FIRST_UNITS: Final = 4  # twice what the usual load uses, which is half of what the stage is made for
MOST_UNITS: Final = 30  # if none of them is NORMAL
LEAST_SHARE: Final = 1 / 40

# Of the reads of a view: a screen reads a row of each machine every five minutes, too fast for scaling. A table lends
# what it did not use for five minutes, and a machine reports once in them: so it takes a unit for each report.
SHOWN_SHARE: Final = 1 / 2  # as the usual load is

# What AWS's console proposes.
LEAST: Final = 5

# Of a table, and of an index, unless AWS has raised the quota.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
QUOTA: Final = 40_000

# Of all tables and indexes of an account in a region, unless AWS has raised it; of reads, and as much of writes.
QUOTA_OF_ACCOUNT: Final = 80_000

# Ten of them, which are the steady tables and their indexes, stay below the account's quota.
MOST_AT_FIRST: Final = 7_900


class Capacity(NamedTuple):
    """Units a second, of writes and as many of reads, that each steady table and each of its indexes has.

    least, most: between them it follows the load. shown: the least of the reads of a view's table. first: what it has
    when it is created, or was on demand before: how much is asked for is not known yet, and too little would be
    throttled for half an hour.
    """

    least: int
    shown: int
    first: int
    most: int

    @classmethod
    def of(cls, mode: str, reports_per_second: float) -> "Capacity | None":
        """Return the capacity for the reports per second that the stage is made for; None: on demand.

        Raises:
            ValueError: there is no such mode.

        """
        if mode not in MODES:
            raise ValueError(f"capacity: there is {' and '.join(MODES)}, but no {mode}")
        if mode == ON_DEMAND:
            return None
        rises = ((LEAST_SHARE, QUOTA), (SHOWN_SHARE, MOST_AT_FIRST), (FIRST_UNITS, MOST_AT_FIRST), (MOST_UNITS, QUOTA))
        return cls(*(min(quota, max(LEAST, round(reports_per_second * units))) for units, quota in rises))
