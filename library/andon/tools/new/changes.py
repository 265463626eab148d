"""Changes of a project that are all made, or none: files written, files edited, and what follows from both."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from andon.project import project
from andon.testing.whole import missing_in
from andon.tools.called import as_called
from andon.tools.new.template import tidied, written
from andon.tools.new.words import NotNew
from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.trees import git

FOLLOWING: Final = "andon.tools.in_process.derived"
HOW: Final = "how to keep a name unique, to count, to use a date, and the price of each: andon docs how-do-i"

UNKNOWN: Final = "by hand: not all was committed before (where it was, the command stands here)"

_TOUCHED: Final = ("AGENTS.md", "docs/openapi.json", "events", "functions", "infra", "llms.txt", "tests")
"""What may change, from the root of a project."""


class Changes(NamedTuple):
    """New files and the new texts of files, by path from the root; `next`: what a person does then."""

    new: Mapping[PurePosixPath, str]
    edited: Mapping[PurePosixPath, str]
    next: tuple[str, ...]


def made(root: Path, changes: Changes) -> str:
    """Write changes and what follows from them, and check that nothing is missing; return what was done.

    Whatever else of the project is unfinished stays so, and is told.

    Raises:
        NotNew: a file is there already, or what was written does not work; all is as before.

    """
    unfinished, is_clean, folders = missing_in(root), _is_committed(root), _folders(root)
    with _all_or_nothing(root) as before:
        files = written(root, {**changes.new, **dict.fromkeys(_packages_of(root, changes.new), "")})
        for path, text in changes.edited.items():
            (root / path).write_text(text)
        tidied(root, [*files, *(root / path for path in changes.edited)])
        left_out = _followed(root, before)
        if missing := [one for one in missing_in(root) if one not in unfinished and not left_out]:
            raise NotNew("; ".join(missing))
        after = _content(root)
    new = sorted(str(file.relative_to(root)) for file in after.keys() - before)
    edited = sorted(str(file.relative_to(root)) for file in before if after.get(file) != before[file])
    parts = {"written": new, "edited": edited, "left out": [*left_out, *unfinished]}
    parts["next"] = [*changes.next, *_more(root), HOW]
    parts["undo"] = [_undo(root, new, edited, folders) if is_clean else UNKNOWN]
    return "\n".join(f"{name}:\n" + "\n".join(f"  {one}" for one in listed) for name, listed in parts.items() if listed)


def _is_committed(root: Path) -> bool:
    try:
        return not git(root, "status", "--porcelain", "--", ".", why="status")
    except ToolFailed:  # no repository
        return False


def _undo(root: Path, new: Iterable[str], edited: Iterable[str], folders: set[Path]) -> str:
    """Return the command that undoes what was done; of new folders it names the uppermost alone."""
    above = {file: [root / one for one in reversed(PurePosixPath(file).parents)] for file in new}
    gone = {next((one for one in above[file] if one != root and one not in folders), root / file) for file in new}
    kept, added = shlex.join(edited), shlex.join(sorted(str(one.relative_to(root)) for one in gone))
    return f"git restore -- {kept} && git clean -fdqx -- {added}"


def _followed(root: Path, before: Mapping[Path, bytes]) -> list[str]:
    """Write what follows from the packages; return why that is left out, if the project did not work before either.

    Raises:
        NotNew: what was written does not work.

    """
    why = follow(root)
    if not why:
        return []
    after, folders = _content(root), _folders(root)
    _restore(root, before, folders)
    earlier = follow(root)
    if not earlier:
        raise NotNew(f"what was written does not work: {why}")
    _restore(root, after, folders)
    return [
        f"samples and documents: the project did not work before ({earlier}); mend it, then: {as_called('samples')}"
    ]


def _packages_of(root: Path, new: Iterable[PurePosixPath]) -> Iterator[PurePosixPath]:
    """Yield the files by which new folders are packages, in a project whose others have such files."""
    if not any(root.glob("functions/*/*/__init__.py")):
        return
    for folder in {file.parent for file in new if file.parts[0] == "functions"}:
        if not (root / folder / "__init__.py").is_file():
            yield folder / "__init__.py"


def _more(root: Path) -> Iterator[str]:
    if (root / "docs" / "figures.json").is_file():
        yield f"write the figures of the stack's templates anew, in docs/: {as_called('figures')}"


def follow(root: Path) -> str:
    """Write what follows from the packages; return why that failed, empty if it did not.

    In a process of its own: this one knows the packages of before.
    """
    run = subprocess.run(
        [sys.executable, "-m", FOLLOWING],
        cwd=root,
        env={**os.environ, "PYTHONPATH": project().imports},
        capture_output=True,
        text=True,
        check=False,
    )
    return last_words(run.stdout + run.stderr) if run.returncode else ""


def last_words(said: str) -> str:
    """Return the last line of an error, and what was logged as one."""
    lines = [line for line in said.splitlines() if line.strip()]
    logged = [_exception_in(line) for line in lines if line.startswith("{")]
    return "; ".join([*lines[-1:], *filter(None, logged)])


def _exception_in(line: str) -> str:
    try:
        return str(json.loads(line).get("exception", "")).splitlines()[-1]
    except (ValueError, IndexError):
        return ""


@contextmanager
def _all_or_nothing(root: Path) -> Iterator[dict[Path, bytes]]:
    """Yield the content of the files that may change; whatever goes wrong, they have it again."""
    before, folders = _content(root), _folders(root)
    try:
        yield before
    except BaseException:
        _restore(root, before, folders)
        raise


def _restore(root: Path, content: Mapping[Path, bytes], folders: set[Path]) -> None:
    for file in _content(root).keys() - content:
        file.unlink()
    for folder in sorted(_folders(root) - folders, reverse=True):
        for compiled in folder.glob("*.pyc"):
            compiled.unlink()
        folder.rmdir()
    for file, text in content.items():
        if not file.is_file() or file.read_bytes() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)


def _content(root: Path) -> dict[Path, bytes]:
    found = (file for path in _TOUCHED for file in (root / path, *(root / path).rglob("*")))
    return {file: file.read_bytes() for file in found if file.is_file() and file.suffix != ".pyc"}


def _folders(root: Path) -> set[Path]:
    found = (folder for path in _TOUCHED for folder in (root / path, *(root / path).rglob("*/")))
    return {folder for folder in found if folder.is_dir()}
