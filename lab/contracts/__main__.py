"""`make prove-contracts`: change publishers and consumers of a copy, and see whom `make contracts` names.

Each change is made in a copy of the tree, whose contracts were released before, and is taken back. Breaking changes
have to be found with all names, harmless ones blame nobody. It ends with 1 if more is missed than is promised.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from andon.project import project
from lab.contracts.change import Change, changes
from lab.contracts.copied import copy_to

NAMED: Final = re.compile(r"^  (?:breaks|loses) ([\w.-]+):", re.MULTILINE)
MISSED: Final = 1
"""Of twenty breaking changes so many may be missed."""


class Verdict(NamedTuple):
    """Whom the contracts name after a change, and the status that they end with."""

    change: Change
    status: int
    named: frozenset[str]
    seconds: float

    @property
    def missing(self) -> frozenset[str]:
        """The names that are missing."""
        return self.change.names - self.named


def main() -> int:
    """Try all changes; return the status."""
    parser = argparse.ArgumentParser(prog="make prove-contracts", description=__doc__)
    parser.add_argument("-k", default="", metavar="TEXT", help="only those with this text in their name")
    parser.add_argument(
        "--samples", action="store_true", help="write samples anew after each change, as its author would"
    )
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="contracts-") as home:
        tree = Path(home)
        copy_to(tree, project().root)
        run(tree, "andon.tools.contracts", "--release")
        found, blamed, of_consumers = (
            [tried(tree, one, samples=asked.samples) for one in changes(kind) if asked.k in one.name]
            for kind in ("breaking", "harmless", "of_consumers")
        )
    return verdict(found, blamed, of_consumers)


def tried(tree: Path, change: Change, *, samples: bool) -> Verdict:
    """Make a change, ask for the contracts, and take it back."""
    if why := change.misfit(tree):
        raise ValueError(f"{change.name}: {why}")
    started, kept = time.monotonic(), change.apply(tree)
    if samples:
        kept |= {file: file.read_text() for file in (tree / "events").rglob("*.json")}
        run(tree, "andon.tools.in_process.samples")
    said = run(tree, "andon.tools.contracts")
    for file, text in kept.items():
        file.write_text(text)
    verdict = Verdict(change, said.returncode, frozenset(NAMED.findall(said.stdout)), time.monotonic() - started)
    print(line_of(verdict), flush=True)
    if not said.stdout:
        print(said.stderr[-1500:])
    return verdict


def run(tree: Path, module: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a tool on a tree."""
    paths = os.pathsep.join(str(tree / one) for one in ("functions", "library", ""))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPATH": paths}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=tree, env=environment, check=False, capture_output=True, text=True)


def line_of(one: Verdict) -> str:
    """Return the verdict on a change in a line."""
    if one.change.names:
        word = "MISSED" if one.missing or not one.status else "found"
    else:
        word = "BLAMED" if one.named or one.status > 1 else "fine"
    names = ", ".join(sorted(one.named)) or "nobody"
    lacks = f"; not named: {', '.join(sorted(one.missing))}" if one.missing else ""
    beside = one.named - one.change.names if one.change.names else frozenset[str]()
    more = f"; beside: {', '.join(sorted(beside))}" if beside else ""
    return f"{word:7} {one.change.name}: {names}{lacks}{more}"


def verdict(found: Sequence[Verdict], blamed: Sequence[Verdict], of_consumers: Sequence[Verdict]) -> int:
    """Print the figures; return the status."""
    whole = sum(not one.missing and one.status > 0 for one in found)
    innocent = sum(bool(one.named) for one in blamed)
    own = sum(not one.missing and one.status > 0 for one in of_consumers)
    print(f"breaking: {whole} of {len(found)} found with all names")
    print(f"harmless: {innocent} of {len(blamed)} blamed")
    print(f"of consumers: {own} of {len(of_consumers)} found")
    is_kept = whole >= len(found) - MISSED and not innocent and own == len(of_consumers)
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
