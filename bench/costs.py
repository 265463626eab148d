"""Prints units of each design for versions and of a report; what views, photos, chains, messages and reports cost.

One counter counts for all: AWS in memory, which counts units as DynamoDB does.
"""

import sys

from bench import (
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
from bench.simulate import bills


def main() -> int:
    """Count and price; 1 if a figure is not what it is on paper."""
    figures, used = version_units.count(), report_units.count()
    print(version_units.report(figures), report_units.report(used), sep="\n\n", end="\n\n", flush=True)
    parts = (object_costs, agenda_costs, content_costs, chain_costs, telling_costs, thing_costs, claim_costs)
    print(*(part.report() for part in parts), sep="\n\n", end="\n\n", flush=True)
    print(bills.report(bills.bills()))
    return int(any(one.differs for one in figures) or bool(report_units.differing(used)))


if __name__ == "__main__":
    sys.exit(main())
