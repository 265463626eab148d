"""`make t P=views/board`: the tests and laws of one package, or of one room, without lint, site or stacks.

A place is a package (`views/board`), a room of the library (`rules`), or a file or folder of either, of their tests, or
of any others.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from andon.project import project
from andon.testing.environment import QUICK

LAWS: Final = "library/andon/testing/laws"
CODE: Final = ("functions/", "library/andon/", "tests/", "library/tests/")
# What needs a stack, a browser or the CDK is not of one package.
WITHOUT: Final = ("-p", "no:schemathesis", "-p", "no:cacheprovider", "--quiet", f"--ignore={LAWS}/test_permissions.py")
HALVES: Final = 2


class NothingThere(Exception):
    """No test is at a place."""


def found_at(place: str, root: Path) -> tuple[list[Path], str]:
    """Return the files of tests of a place, and the name of the package that the laws are to be tried on, if it is one.

    Raises:
        NothingThere: no such package, room, file or folder has tests.

    """
    if place.endswith(".py") and place.startswith(CODE[2:]):
        return [root / place], ""
    name = place.rstrip("/")
    for start in CODE:
        name = name.removeprefix(start)
    parts = name.split("/")
    for depth in range(len(parts), 0, -1):
        here = "/".join(parts[:depth])
        folders = [root / tests / here for tests in CODE[2:] if (root / tests / here).is_dir()]
        if found := sorted(file for folder in folders for file in folder.rglob("test_*.py")):
            is_package = (root / "functions" / here).is_dir() and depth > 1
            return found, parts[depth - 1] if is_package else ""
    raise NothingThere(f"no tests are at {place}: a package (views/board), a room (rules), a file or a folder")


def main(place: str) -> int:
    """Run them in two processes, one for each core; return the status of the worse."""
    try:
        files, package = found_at(place, project().root)
    except NothingThere as nothing:
        sys.stderr.write(f"{nothing}\n")
        return 2
    runs = [half for half in _halves(files) if half]
    commands = [[*map(str, half)] for half in runs]
    if package:
        commands.append([LAWS, "-k", package])
    return max([_ended(run) for run in [_started(command) for command in commands]])


def _started(tests: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", *WITHOUT, *tests]
    quick = {**os.environ, QUICK: "1"}
    return subprocess.Popen(command, cwd=project().root, stdout=subprocess.PIPE, text=True, env=quick)  # noqa: S603


def _ended(run: subprocess.Popen[str]) -> int:
    said, _ = run.communicate()
    sys.stdout.write(said)
    return run.returncode


def _halves(files: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the files in as many parts as there are cores, about as long as each other."""
    by_size = sorted(files, key=lambda file: -file.stat().st_size)
    yield from (by_size[at::HALVES] for at in range(HALVES))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
