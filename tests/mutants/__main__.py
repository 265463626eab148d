"""`make mutants`: break each law of the design in a copy of the tree, and see that its tests notice.

Prints `killed` or `SURVIVED` for each mutant. Exits with 1 if one survived, or no longer fits the code.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Final

from tests.mutants.laws import MUTANTS
from tests.mutants.mutant import Mutant

ROOT: Final = Path(__file__).parents[2]
LINKED: Final = (".venv", "node_modules")

# https://docs.pytest.org/en/stable/reference/exit-codes.html
ALL_PASSED, SOME_FAILED, NEVER_ENDED = 0, 1, -1

# A test that never ends has noticed nothing. The longest ones of a mutant take 2 minutes on 2 busy cores.
LONGEST_S: Final = 900


def main() -> int:
    """Run the chosen mutants; return the exit status."""
    options = _options()
    chosen = [mutant for mutant in MUTANTS if options.k.lower() in f"{mutant.name} {mutant.file}".lower()]
    misfits = {mutant.name: why for mutant in chosen if (why := mutant.misfit(ROOT))}
    for name, why in misfits.items():
        print(f"NOT FOUND  {name}: {why}")
    fitting = [mutant for mutant in chosen if mutant.name not in misfits]
    with TemporaryDirectory(prefix="mutants-") as home:
        trees = [Path(home, str(number)) for number in range(options.jobs)]
        for tree in trees:
            _copy_to(tree)
        if not options.quick and _status(trees[0], _union(fitting)) != ALL_PASSED:
            print("The tests fail without any mutant.")
            return 1
        survived = len(fitting) - _killed(fitting, trees)
    print(f"{len(fitting) - survived} killed, {survived} survived, {len(misfits)} not found")
    return int(bool(survived or misfits))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("-k", default="", metavar="TEXT", help="only those with this text in their name or file")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="mutants tried beside each other")
    parser.add_argument("--quick", action="store_true", help="do not run the tests without a mutant first")
    return parser.parse_args()


def _copy_to(tree: Path) -> None:
    """Copy what git knows, or would, and compile it: a mutant is found by its hash, whatever the time of its file."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).is_file() and name not in LINKED:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    for name in LINKED:
        (tree / name).symlink_to(ROOT / name)
    compiling = [
        sys.executable,
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "checked-hash",
        "functions",
        "library",
        "bench",
        "demo",
    ]
    subprocess.run(compiling, cwd=tree, check=True)


def _killed(mutants: Sequence[Mutant], trees: Sequence[Path]) -> int:
    """Return the number of mutants their tests noticed; each is tried in a tree of which it has the sole use."""
    free: SimpleQueue[Path] = SimpleQueue()
    for tree in trees:
        free.put(tree)

    def is_killed(mutant: Mutant) -> bool:
        tree = free.get()
        try:
            return _is_killed(mutant, tree)
        finally:
            free.put(tree)

    with ThreadPoolExecutor(len(trees)) as pool:
        return sum(pool.map(is_killed, mutants))


def _is_killed(mutant: Mutant, tree: Path) -> bool:
    """Apply a mutant, run its tests, and take it back."""
    path, started = tree / mutant.file, time.monotonic()
    source = path.read_text()
    path.write_text(mutant.applied_to(source))
    status = _status(tree, mutant.selection)
    path.write_text(source)
    killed = status == SOME_FAILED
    verdict = "killed  " if killed else "SURVIVED" if status == ALL_PASSED else f"SURVIVED (pytest: {status})"
    print(f"{verdict}   {mutant.name}  ({time.monotonic() - started:.0f} s)", flush=True)
    return killed


def _union(mutants: Sequence[Mutant]) -> str:
    """Return all tests of some mutants, as one selection."""
    return " ".join(sorted({place for mutant in mutants for place in mutant.places}))


def _status(tree: Path, selection: str) -> int:
    """Run tests until one fails; return pytest's exit status, or that it never ended."""
    unneeded = ("-p", "no:cacheprovider", "-p", "no:schemathesis")  # a fifth of a second each time, and of no use here
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", *unneeded, *shlex.split(selection)]
    environment = {**os.environ, "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20"}
    try:
        run = subprocess.run(
            pytest, cwd=tree, env=environment, check=False, capture_output=True, text=True, timeout=LONGEST_S
        )
    except subprocess.TimeoutExpired:
        return NEVER_ENDED
    if run.returncode not in {ALL_PASSED, SOME_FAILED}:
        print(run.stdout[-2000:], run.stderr[-2000:])
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
