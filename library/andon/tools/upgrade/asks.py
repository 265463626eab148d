"""Asks of this version of the library to a project: by code, file and line, with the page that tells more.

`asked(root)` reads only. What has another name now, `rewritten(text)` puts in place of the old one: by LibCST, which
knows what a name refers to, keeps each comment and space, and is imported where something is to be rewritten.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final, NamedTuple

from andon.http import parameters
from andon.runtime.moved import MOVED

CODE: Final = ("app.py", "functions", "infra", "tests")
"""Files of a project that may have names of the library, from its root."""

POWERTOOLS: Final = "aws_lambda_powertools.event_handler.openapi.params"


class Ask(NamedTuple):
    """A place where something is asked for; line: 0 is the whole file."""

    code: str
    file: str
    line: int
    words: str
    page: str

    def __str__(self) -> str:
        """Return it as a line for a terminal."""
        at = f"{self.file}:{self.line}" if self.line else self.file
        return f"{self.code} {at}: {self.words} (andon docs {self.page})"


class Renamed(NamedTuple):
    """A name that the library has no more, or will not have in its next version, and the one in its place."""

    code: str
    old: str
    new: str


RENAMED: Final = (
    Renamed("AN01", "andon.sync.crossing.Content", "andon.sync.crossing.EditedRow"),
    *(Renamed("AN02", f"{POWERTOOLS}.{one}", f"{parameters.__name__}.{one}") for one in ("Header", "Path", "Query")),
    *(Renamed("AN06", f"andon.{old}", f"andon.{new}") for old, new in MOVED.items()),
)


def asked(root: Path) -> Iterator[Ask]:
    """Yield all that this version asks of the project in a folder, in the order of codes."""
    for find in (_renamed, _fields, _unversioned, _ungrouped):
        yield from find(root)


def rewritten(text: str, names: Iterable[Renamed] = RENAMED) -> str:
    """Return Python with the names of today."""
    for one in names:
        if all(part in text for part in one.old.split(".")):
            text = _by_libcst(text, one)
    return text


def _by_libcst(text: str, name: Renamed) -> str:
    """Rewrite a name, in a tenth of a second, also if it is not there."""
    from libcst import parse_module  # noqa: PLC0415  half a second, where there is something to rewrite
    from libcst.codemod import CodemodContext  # noqa: PLC0415
    from libcst.codemod.commands.rename import RenameCommand  # noqa: PLC0415

    return RenameCommand(CodemodContext(), name.old, name.new).transform_module(parse_module(text)).code


def _renamed(root: Path) -> Iterator[Ask]:
    """Yield each line that has another name when it is rewritten."""
    for one in RENAMED:
        words = f"{one.old} is now {one.new}"
        for file, text in python_files(root):
            before, now = text.splitlines(), rewritten(text, [one]).splitlines()
            for kind, first, end, *_ in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
                lines = range(first, end) if kind in {"replace", "delete"} else ()
                yield from (Ask(one.code, file, line + 1, words, "upgrades") for line in lines)


def _fields(root: Path) -> Iterator[Ask]:
    words = "declare members of entities by andon.http.said, once, in place of fields of bodies"
    for file, text in python_files(root):
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(r"\s*(from|import) andon\.http\.fields\b", line):
                yield Ask("AN03", file, number, words, "versioning")


def python_files(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a project that may have names of the library, by path from its root, with their text."""
    for part in CODE:
        for file in [root / part] if part.endswith(".py") else sorted((root / part).rglob("*.py")):
            yield str(file.relative_to(root)), file.read_text()


def _unversioned(root: Path) -> Iterator[Ask]:
    for folder in sorted((root / "functions" / "services").glob("*/")):
        publishes = (folder / "facts.py").is_file()
        if publishes and not any((folder / file).is_file() for file in ("versioning.py", "resources.py")):
            words = "say how what it keeps is versioned, in versioning.py; a synth will ask for it"
            yield Ask("AN04", str(folder.relative_to(root)), 0, words, "versioning")


def _ungrouped(root: Path) -> Iterator[Ask]:
    file = root / "functions" / "project.py"
    if file.is_file() and not re.search(r"\bgrouped=", file.read_text()):
        words = "say grouped=True once every stage runs this version, which reads groups: they are the next default"
        yield Ask("AN05", str(file.relative_to(root)), 0, words, "upgrades#groups-on-the-bus")
