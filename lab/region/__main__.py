"""Prints how much of what was acknowledged is missing when a region is lost, and what is wrong in the other one.

`python -m lab.region` drills 100 seeds; `--seeds 3 --first 7` the seeds 7, 8 and 9.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence

from lab.region import stacks
from lab.region.drill import Drill, run
from lab.region.times import COPY_MS, LAKE_MS, RPO_MS, STREAM_MS


def main() -> int:
    """Drill; 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="make region-drill")
    parser.add_argument("--seeds", type=int, default=100, help="how many (default: %(default)s)")
    parser.add_argument("--first", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument("--stacks", action="store_true", help="once, between two deployed stacks on emulators")
    options = parser.parse_args()
    if options.stacks:
        return stacks.drill(options.first)
    drills = []
    for seed in range(options.first, options.first + options.seeds):
        drills.append(run(seed))
        if broken(drills[-1]):
            print(f"seed {seed}: {drills[-1]}", flush=True)
    print("\n".join(lines_of(drills)))
    return int(any(map(broken, drills)))


def broken(drill: Drill) -> bool:
    """Return True if a drill lost more than is promised, or has something wrong."""
    return bool(drill.beyond or drill.wrong or drill.again)


def lines_of(drills: Sequence[Drill]) -> Iterator[str]:
    """Yield what all drills found, and the bound that they have to keep to."""
    missing = [age_ms for drill in drills for age_ms in drill.ages_ms]
    yield f"{len(drills)} regions were lost in the middle of writes; {sum(one.acknowledged for one in drills):,} writes"
    yield f"  bound: {_minutes(RPO_MS)}, of which {_minutes(STREAM_MS)} to the bus, {_minutes(LAKE_MS)} to the lake, "
    yield f"    {_minutes(COPY_MS)} for S3 to copy it"
    yield f"  acknowledged and missing: {len(missing):,}, the oldest written {_minutes(max(missing, default=0))} before"
    yield f"  of these beyond the bound: {sum(one.beyond for one in drills)}"
    yield f"  rows compared after the replay: {sum(one.compared for one in drills):,}"
    yield f"  of these wrong: {sum(len(one.wrong) for one in drills)}"
    yield f"  facts published a second time: {sum(one.again for one in drills)}"


def _minutes(ms: int) -> str:
    return f"{ms / 60_000:.1f} min"


if __name__ == "__main__":
    sys.exit(main())
