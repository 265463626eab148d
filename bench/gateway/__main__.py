"""`make gateway-torture`: three seeds; it fails if anything is lost, doubled or altered."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from bench.gateway.torture import torture


def main() -> int:
    """Print what became of the reports of each seed; return 1 if any is not one fact."""
    parser = argparse.ArgumentParser(prog="make gateway-torture", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, action="append")
    chosen = parser.parse_args()
    is_clean = True
    for seed in chosen.seed or (1, 2, 3):
        began_s = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            outcome = torture(Path(folder), count=chosen.count, kills=chosen.kills, seed=seed)
        is_clean &= outcome.is_clean
        print(
            f"seed {seed}: {chosen.count} reports, {outcome.kills} kills, {time.monotonic() - began_s:.1f} s: "
            f"{outcome.lost} lost, {outcome.doubled} doubled, {outcome.altered} altered, "
            f"{outcome.wrongly_refused} refused wrongly; {outcome.again} came again, as the same fact"
        )
        print("  " + ", ".join(f"{kind.replace('_', ' ')} {times}" for kind, times in outcome.mischief.most_common()))
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
