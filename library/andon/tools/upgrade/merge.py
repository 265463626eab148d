"""The template's own changes, merged into what a project made of it: three-way, by `git merge-file`, in memory.

What is merged is what `andon new project` writes around the packages: Makefile, pipeline, settings, pins. The packages
themselves belong to the project from their first day; so do samples and documents, which are written anew.
"""

import os
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from andon.project import library_folder
from andon.tools.new.dependency import dependency
from andon.tools.new.project import REQUIREMENT, VENDOR
from andon.tools.stack.errors import ToolFailed

OWN: Final = frozenset({"AGENTS.md", "docs", "events", "functions", "llms.txt", "tests"})
"""Parts of a project, from its root, that are its own, or are written anew."""

Files = Mapping[PurePosixPath, bytes]
"""Content by path from the root of a project."""

NOTHING: Final = b""

_MOST_CONFLICTS: Final = 127
"""Git counts no more; a status above is an error."""


class How(StrEnum):
    """Ways in which a file of the template reaches a project."""

    TAKEN = "taken over"
    MERGED = "merged into yours"
    CONFLICT = "both changed the same lines: look for <<<<<<<"
    NOT_TEXT = "both changed it, and it is no text: yours stays"
    REMOVED = "removed: the template has it no more"
    KEPT = "kept, as you changed it: the template has it no more"
    STAYS_AWAY = "not written: you removed it, and the template changed it"


LEFT_TO_A_PERSON: Final = frozenset({How.CONFLICT, How.NOT_TEXT, How.KEPT, How.STAYS_AWAY})


class Merged(NamedTuple):
    """A file, how the template's change reaches it, and its new content; None: it goes, or stays away."""

    path: PurePosixPath
    how: How
    content: bytes | None

    def __str__(self) -> str:
        """Return it as a line for a terminal."""
        return f"{self.path}: {self.how}"


def merged(ours: Files, base: Files, theirs: Files) -> Iterator[Merged]:
    """Yield what changes, and what cannot.

    ours: the project as it is. base: as the version before made it. theirs: as this version would make it.
    """
    for path in sorted(base.keys() | theirs.keys()):
        our, old, new = ours.get(path), base.get(path), theirs.get(path)
        if new not in (old, our):
            yield _merged(path, our, old, new)


def _merged(path: PurePosixPath, our: bytes | None, old: bytes | None, new: bytes | None) -> Merged:
    if our == old or path == REQUIREMENT or path.parts[0] == VENDOR:  # the library itself
        return Merged(path, How.REMOVED if new is None else How.TAKEN, new)
    if our is None:
        return Merged(path, How.STAYS_AWAY, None)
    if new is None:
        return Merged(path, How.KEPT, our)
    if any(b"\0" in one for one in (our, old or NOTHING, new)):
        return Merged(path, How.NOT_TEXT, our)
    content, conflicts = _by_git(our, old or NOTHING, new)
    return Merged(path, How.CONFLICT if conflicts else How.MERGED, content)


def _by_git(our: bytes, old: bytes, new: bytes) -> tuple[bytes, int]:
    """Return the merge, and its number of conflicts: https://git-scm.com/docs/git-merge-file."""
    with tempfile.TemporaryDirectory() as folder:
        named = {"yours": our, "as it was made": old, "as it would be made now": new}
        for number, content in enumerate(named.values()):
            Path(folder, str(number)).write_bytes(content)
        labels = [word for name in named for word in ("-L", name)]
        done = subprocess.run(
            ["git", "merge-file", "-p", *labels, "0", "1", "2"], cwd=folder, capture_output=True, check=False
        )
    if done.returncode > _MOST_CONFLICTS:
        raise ToolFailed(f"git merge-file: {done.stderr.decode()}")
    return done.stdout, done.returncode


def files_of(root: Path) -> Files:
    """Return the files around the packages of the project in a folder, without what git ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    paths = (PurePosixPath(path) for path in listed.stdout.decode().split("\0") if path)
    return {path: (root / path).read_bytes() for path in paths if path.parts[0] not in OWN and (root / path).is_file()}


def files_at(root: Path, commit: str) -> Files:
    """Return the same files as they were at a commit of the project.

    Raises:
        ToolFailed: there is no such commit.

    """
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "at.zip")
        done = subprocess.run(
            ["git", "archive", "--format=zip", f"--output={archive}", commit],
            cwd=root,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise ToolFailed(f"there is no commit {commit}: {done.stderr.decode().strip()}")
        with zipfile.ZipFile(archive) as packed:
            paths = {PurePosixPath(name): name for name in packed.namelist() if not name.endswith("/")}
            return {path: packed.read(name) for path, name in paths.items() if path.parts[0] not in OWN}


def made_now(answers: Sequence[str], wheel: Path | None) -> Files:
    """Return what this version makes of the answers that a project was made with; wheel: as in `andon new project`."""
    with dependency(wheel) as needed:
        named = [] if needed.wheel is None else ["--wheel", str(needed.wheel)]
        return _made(library_folder().parent, [*answers, *named])


def made_before(answers: Sequence[str], wheel: Path) -> Files:
    """Return what the version in a wheel made of the same answers."""
    with _unpacked(wheel) as imports:
        return _made(imports, [*answers, "--wheel", str(wheel)])


@contextmanager
def _unpacked(wheel: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        yield Path(folder)


def _made(imports: Path, arguments: Sequence[str]) -> Files:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "made")
        command = [sys.executable, "-m", "andon.tools.cli", "new", "project", str(root), *arguments]
        path = os.pathsep.join(filter(None, (str(imports), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ToolFailed(f"andon new project {shlex.join(arguments)}: {done.stderr.strip()}")
        subprocess.run(["git", "init", "--quiet"], cwd=root, check=True)
        return files_of(root)
