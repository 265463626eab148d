"""`make prove-telling`: has a local stack of its own tell people, and prints what its providers got. Exit 1: it failed.

Half an hour, most of it by the clock: one machine each ten seconds is 20 minutes of that.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from andon.tools.stack import emulator
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.progress import step
from andon.tools.stack.stack import bring_up
from lab.attack.report import Record, findings, table
from lab.telling import chains, failing, killed, links, private, storms
from lab.telling.providers import Providers
from lab.telling.target import Target

BESIDE: Final[dict[str, Callable[[Target], None]]] = {
    "storm": storms.at_once,
    "chains": chains.prove,
    "nobody": chains.nobody,
    "failing": failing.prove,
    "black-hole": failing.black_hole,
}
AFTER: Final[dict[str, Callable[[Target], None]]] = {
    "links": links.prove,
    "private": private.webhooks,
    "addresses": private.nowhere,
}
PARTS: Final = ("killed", "slowly", *BESIDE, *AFTER)
INTERRUPTED: Final = 130
SECONDS: Final = 60


def main() -> int:
    """Bring a stack up, let it tell people and end it."""
    parser = argparse.ArgumentParser(prog="make prove-telling", description=__doc__)
    parser.add_argument("--people", type=int, default=300, help="told while workers are killed (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the dice (default: %(default)s)")
    parser.add_argument("--only", choices=PARTS, nargs="*", help="of these parts (default: all)")
    options = parser.parse_args()
    record = Record()
    with tempfile.TemporaryDirectory(prefix="andon-telling-") as folder, Providers() as providers:
        home = Path(folder)
        try:
            with step("starting an emulator"):
                running = emulator.start(home, emulator.free_port(), lifeline=True)
            try:
                with Target(bring_up(home, running), providers, record) as target:
                    dice = random.Random(options.seed)  # noqa: S311  no secrets
                    _prove(target, home, options.only or PARTS, people=options.people, dice=dice)
            finally:
                emulator.stop(home, running)
        except ToolFailed as reason:
            print(f"make prove-telling: {reason}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            return INTERRUPTED
    print(f"\n{table(record)}\n\n{findings(record, {})}")
    return int(bool(record.findings))


def _prove(target: Target, home: Path, parts: Collection[str], *, people: int, dice: random.Random) -> None:
    """Prove parts one after another; the storm of 20 minutes goes on beside those that leave the sender alone."""
    if "killed" in parts:
        with step("killing workers of the sender"):
            killed.prove(target, home, people=people, seconds=SECONDS, dice=dice)
    with ThreadPoolExecutor(1) as pool:
        slowly = pool.submit(storms.slowly, target) if "slowly" in parts else None
        for part, prove in BESIDE.items():
            if part in parts:
                _try(target, part, prove)
        if slowly:
            with step("120 machines over 20 minutes"):
                slowly.result()
    for part, prove in AFTER.items():
        if part in parts:
            _try(target, part, prove)


def _try(target: Target, part: str, prove: Callable[[Target], None]) -> None:
    """Prove a part; that it could not be tried is a finding, and the others go on."""
    with step(part):
        try:
            prove(target)
        except ToolFailed as reason:
            target.record.expect(part, "all of it", "it could not be tried", held=False, seen=str(reason))


if __name__ == "__main__":
    sys.exit(main())
