"""`make t P=views/board`: the tests and laws of one package, or of one room, without lint, site or stacks.

A place is a package (`views/board`), a room of the library (`rules`), a file or folder of either, or a file of tests,
which alone is run with all its examples.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from andon.project import project
from andon.testing.environment import QUICK

LAWS: Final = "library/andon/testing/laws"
CODE: Final = ("functions/", "library/andon/", "tests/", "library/tests/", "gateway/tests/", "lab/tests/")
# What needs a stack, a browser or the CDK is not of one package.
WITHOUT: Final = (
    *("-p", "no:schemathesis", "-p", "no:cacheprovider", "--quiet", f"--ignore={LAWS}/test_permissions.py"),
    *("-c", "pyproject.toml"),  # pytest takes the library's, where no test is of anything else: another project
)
HALVES: Final = 2

APART: Final = ("gateway", "lab")
"""Parts beside the library and the factory; their tests lie in them."""


class NothingThere(Exception):
    """No test is at a place."""


def found_at(place: str, root: Path) -> tuple[list[Path], str]:
    """Return the files of tests of a place, and the name of the package that the laws are to be tried on, if it is one.

    Raises:
        NothingThere: no such package, room, file or folder has tests.

    """
    if _is_test(place):
        return [root / place], ""
    part, _, inside = place.rstrip("/").partition("/")
    if part in APART:
        nearest = root / part / "tests" / inside.removeprefix("tests")
        folders = (nearest, nearest.parent, root / part / "tests")
        return next(found for folder in folders if (found := sorted(folder.rglob("test_*.py")))), ""
    name, of_library = place.rstrip("/"), part == "library"
    for start in CODE:
        name = name.removeprefix(start)
    parts = name.split("/")
    for depth in range(len(parts), 0, -1):
        here = "/".join(parts[:depth])
        is_package = (root / "functions" / here).is_dir() and depth > 1
        # Rooms that say something of a whole project only, as some stores do, are tried by tests of this one.
        sides = ("library/tests", "tests") if of_library or not is_package else ("tests",)
        if found := next(filter(None, (sorted((root / side / here).rglob("test_*.py")) for side in sides)), []):
            return found, parts[depth - 1] if is_package else ""
    raise NothingThere(f"no tests are at {place}: a package (views/board), a room (rules), a file or a folder")


def _is_test(place: str) -> bool:
    return place.endswith(".py") and place.startswith(CODE[2:])


def main(place: str) -> int:
    """Run them side by side: half of the tests each, and the laws; return the status of the worst."""
    try:
        files, package = found_at(place, project().root)
    except NothingThere as nothing:
        sys.stderr.write(f"{nothing}\n")
        return 2
    runs = [half for half in _halves(files) if half]
    commands = [[*map(str, half)] for half in runs]
    if package:
        commands.append([LAWS, "-k", package])
    environment = os.environ if _is_test(place) else {**os.environ, QUICK: "1"}
    return max([_ended(run) for run in [_started(command, environment) for command in commands]])


def _started(tests: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "pytest", *WITHOUT, *tests]
    return subprocess.Popen(command, cwd=project().root, stdout=subprocess.PIPE, text=True, env=environment)  # noqa: S603


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
