"""`make prove-what-if`: ask `make what-if` about lakes that the real loop made, and hold its answers against a model.

The model is plain Python over the lake's lines. Rules of a copy of the sample are changed, and the model alike; what is
decided in addition and no more has to be the same. Exit 1: something did not hold.
"""

import argparse
import random
import sys
import time
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from lab.what_if.facts import facts_in
from lab.what_if.lakes import KINDS, lived, written
from lab.what_if.proof import EACH, SINCES, UNTILS, Place, Proof
from lab.what_if.trees import Sample

PARTS: Final = ("calibration", "changes", "back", "since", "until", "lines")


def main() -> int:
    """Make the lakes, try all; return the status."""
    parser = argparse.ArgumentParser(prog="make prove-what-if", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first lake, and of the dice (default: %(default)s)")
    parser.add_argument("--lakes", type=int, default=len(KINDS), help="so many of them (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="each change on each lake, not on two of them")
    parser.add_argument("--only", choices=PARTS, nargs="*", help="of these parts (default: all)")
    options = parser.parse_args()
    started = time.monotonic()
    with TemporaryDirectory(prefix="what-if-") as home:
        room = Path(home)
        names = [*KINDS] * (options.lakes // len(KINDS) + 1)
        lakes = [lived(name, options.seed + number) for number, name in enumerate(names[: options.lakes])]
        places = [
            Place(lake, written(lake.lines, room / f"lake-{number}"), facts_in(lake.lines))
            for number, lake in enumerate(lakes)
        ]
        proof = Proof(Sample(room / "sample"), places, random.Random(options.seed), room)  # noqa: S311  no secrets
        tries = {
            "calibration": proof.calibration,
            "changes": lambda: proof.changes(len(lakes) if options.all else EACH),
            "back": proof.back,
            "since": lambda: proof.since(SINCES),
            "until": lambda: proof.until(UNTILS),
            "lines": proof.lines,
        }
        for part in options.only or PARTS:
            print(part, flush=True)
            proof.record.part = part
            with redirect_stderr(StringIO()):  # the tool's progress
                tries[part]()
        proof.record.part = "differences"
        proof.something()
    seen = ", ".join(f"{number:,} {name}" for name, number in proof.seen.items())
    print(f"{seen}\n{time.monotonic() - started:.0f} s\n{proof.record.text()}")
    return int(bool(proof.record.broken))


if __name__ == "__main__":
    sys.exit(main())
