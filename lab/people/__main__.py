"""Prints what was tried to find people's names, and another company's things, where they must not be, all in memory.

`python -m lab.people` has 1,000 people use all routes, looks through all that is sent, stored and logged, erases 100
of them and guesses digests; then callers of one company send 100,000 requests about another one.
"""

import argparse
import sys

from lab.attack.report import Record, findings, table
from lab.people import names, places


def main() -> int:
    """Prove; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="make prove-people")
    parser.add_argument("--people", type=int, default=1_000, help="at most 10,000 (default: %(default)s)")
    parser.add_argument("--requests", type=int, default=100_000, help="hostile ones (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    options = parser.parse_args()
    record = Record()
    names.prove(record, people=options.people, seed=options.seed)
    places.prove(record, requests=options.requests, seed=options.seed)
    print(f"{table(record)}\n{findings(record, {})}")
    return int(bool(record.findings))


if __name__ == "__main__":
    sys.exit(main())
