"""Prints units of each design for versions and of a report; what views, photos, chains, messages and reports cost.

One counter counts for all: AWS in memory, which counts units as DynamoDB does.
"""

import sys
from typing import Final

from lab import (
    agenda_costs,
    chain_costs,
    claim_costs,
    content_costs,
    object_costs,
    report_units,
    telling_costs,
    thing_costs,
    version_units,
)
from lab.simulate import bills, idle, windows

PARTS: Final = (object_costs, agenda_costs, content_costs, chain_costs, telling_costs, thing_costs, claim_costs)


def main() -> int:
    """Count and price; 1 if a figure is not what it is on paper."""
    figures, used = version_units.count(), report_units.count()
    print(version_units.report(figures), report_units.report(used), sep="\n\n", end="\n\n", flush=True)
    print(*(part.report() for part in PARTS), sep="\n\n", end="\n\n", flush=True)
    counted = bills.count_ways()
    print(idle.report(bills.stages(counted)), end="\n\n", flush=True)
    print(bills.report(bills.bills(counted)), end="\n\n")
    print(bills.whole_report(counted, telling_dollars=telling_costs.of_one()), end="\n\n")
    print(*windows.lines(counted), sep="\n")
    return int(any(one.differs for one in figures) or bool(report_units.differing(used)))


if __name__ == "__main__":
    sys.exit(main())
