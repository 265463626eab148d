"""`make apart`: try each part of this repository alone, in a folder outside it.

Its own files are copied there; wheels of those before it are built from their copies, and installed; its tests run.
Factory and lab are applications, without a wheel: what the lab imports of the factory lies in its folder, without
tests. Beside the library lie the pages that it ships. Arguments: names of parts, by default all, and what pytest takes.
What needs a stack, or reads all parts, is left to `make test`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from shutil import copy
from tempfile import mkdtemp
from typing import Final
from xml.etree import ElementTree as ET

from andon.testing.installed import built, installed
from tests.support.clone import TOOLS, link_tools
from tests.support.parts import OF_ALL, PARTS, ROOT, files_of

SETTINGS: Final = """[pytest]
addopts = --import-mode=importlib -ra
pythonpath = .
filterwarnings = error
timeout = 900
"""
"""Of a part whose folder has none."""

LINKED: Final = (*TOOLS, ".local/npm", ".local/browser")
"""What is installed or was packed here, and an application finds in its folder."""

COMMIT: Final = ("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message=apart")


def main(words: Sequence[str]) -> int:
    """Try parts; return 1 if a test of one failed."""
    home = Path(mkdtemp(prefix="apart-"))
    left = ", ".join(one.on_stack for one in PARTS.values() if one.on_stack)
    sys.stdout.write(
        f"{home}; left to `make test`, for want of a stack: {left};\nand what reads all parts: {', '.join(OF_ALL)}\n"
    )
    arguments = [word for word in words if word not in PARTS]
    failed = [tried(name, arguments, home) for name in PARTS if name in words or not PARTS.keys() & {*words}]
    return int(any(failed))


def tried(name: str, arguments: Sequence[str], home: Path) -> int:
    """Build a part and run its tests; say what became of them, and return how many failed."""
    part, place, began_s = PARTS[name], copied(name, home), time.monotonic()
    part_wheel(name, home)
    packages, report = home / f"{name}-installed", home / f"{name}.xml"
    if wheels := [wheel for below in part.upon if (wheel := part_wheel(below, home))]:
        installed(packages, *wheels)
    tests = [str(place / one) for one in part.tests if one.endswith("/")]
    left_out = [f"--ignore={place / one}" for one in (part.on_stack, *OF_ALL) if one]
    imports = [packages, *([] if part.folder else [place / "functions", place])]
    with (home / f"{name}.log").open("w") as log:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--hypothesis-profile=ci",  # no deadline
            "--continue-on-collection-errors",
            f"--junitxml={report}",
            *left_out,
            *tests,
            *arguments,
        ]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, imports))}
        subprocess.run(command, cwd=place / part.folder, env=environment, stdout=log, stderr=log, check=False)  # noqa: S603
    counts = ET.parse(report).getroot()[0].attrib if report.exists() else {"tests": "1", "errors": "1"}  # noqa: S314
    failed, skipped = int(counts.get("failures", 0)) + int(counts["errors"]), int(counts.get("skipped", 0))
    said = f"{int(counts['tests']) - failed - skipped:6} passed {failed:4} failed {skipped:4} skipped"
    sys.stdout.write(f"{name:8}{said} {time.monotonic() - began_s:5.0f} s  {log.name}\n")
    sys.stdout.flush()
    return failed


def copied(name: str, home: Path) -> Path:
    """Copy the files of a part, and those beside it, once; return the folder, which is a repository."""
    place, part = home / name, PARTS[name]
    if place.exists():
        return place
    code = [one for one in files_of("factory") if not one.startswith(PARTS["factory"].tests)]
    for file in (*files_of(name), *(one for one in code if one.startswith(part.beside))):
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / file, place / file)
    settings = place / part.folder / "pyproject.toml"
    if "[tool.pytest" not in settings.read_text():
        settings.with_name("pytest.ini").write_text(SETTINGS)
    for arguments in (("init", "--quiet"), ("add", "."), COMMIT):
        subprocess.run(["git", *arguments], cwd=place, check=True)  # noqa: S603, S607
    if not part.folder:
        link_tools(place, LINKED)
    return place


def part_wheel(name: str, home: Path) -> Path | None:
    """Build the wheel of a part from its copy, once; None: it is an application."""
    if not PARTS[name].folder:
        return None
    wheels = home / "wheels" / name
    return next(wheels.glob("*.whl"), None) or built(wheels, copied(name, home) / PARTS[name].folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
