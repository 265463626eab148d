"""The template of a project, a folder of real code, and copies of it or of slices of it.

`templates/project/` is a complete project of a neutral domain: the project *acorn* has a service *things*, a view
*inventory* of it, and a control service *watch* with a rule *restless*. A copy differs by its words alone, see
`words.Words`, so that the code of the template is linted, typed and tested as any other.

A slice is the files of the template that match some patterns, as `functions/views/inventory/**`: `SLICES` has those of
a service, a view and a rule. `files(*patterns)` lists them; `copied(words, files)` returns the text of each at its new
path, from the root of a project; `written(root, texts)` writes them, or nothing if one of them is there already.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import library_folder
from andon.tools.new.errors import NotNew
from andon.tools.new.words import Name, Words

NO_EXTRAS: Final = "the library is installed without what this takes; install it with its extras, as andon[tools,test]"

PROJECT: Final = library_folder() / "tools" / "templates" / "project"

ACORN: Final = Name("acorn", "acorn")
THINGS: Final = Name("thing", "things")
INVENTORY: Final = Name("inventory", "inventory")
WATCH: Final = Name("watch", "watch")
RESTLESS: Final = Name("restless", "restless")
INSPECTION: Final = Name("inspection", "inspection")

MOVED: Final = Name("moved", "moved")
RECORDED: Final = Name("recorded", "recorded")
SHELF: Final = Name("shelf", "shelves")
DEVICE: Final = Name("device", "devices")

NUMBER: Final = Name("number", "number")
PLACE: Final = Name("place", "place")
VALUE: Final = Name("value", "value")
NOTE: Final = Name("note", "note")
SAID: Final = ((Name("north", "north"), Name("one", "one")), (Name("south", "south"), Name("other", "other")))
"""Examples of what is said of a place, and those of what is said of anything."""

FACT: Final = PROJECT.parent / "fact"
"""The files of a fact more, which are put into a service."""

FACT_TIMED: Final = PROJECT.parent / "fact_timed"
"""Those of one that has a time of its own."""

UNIQUE: Final = PROJECT.parent / "unique"
"""The files of a unique field, which are put into a new service."""

COUNTED: Final = PROJECT.parent / "counted"
"""The files by which a new view counts its rows."""

OBJECTS: Final = PROJECT.parent / "objects"
"""The files of a view whose rows lie in objects, in place of those of the other one."""

LISTED: Final = PROJECT.parent / "listed"
"""The files of a view that lists all of a shelf, in place of those of the other one."""

GROUPED: Final = PROJECT.parent / "grouped"
"""The files of a service whose things lie on shelves, in place of those of the other one."""

TIMED: Final = PROJECT.parent / "timed"
"""The files of a service whose things have a time of their own, in place of those of the other one."""

DUE: Final = PROJECT.parent / "due"
"""The files of a rule that is due at a date, in place of those of the other one."""

PART: Final = re.compile(r"(?:#|<!--) <(?P<end>/?)(?P<name>[a-z]+)>(?: -->)?")
"""The comment at which a part of a file begins or ends."""

SLICES: Final[Mapping[str, tuple[str, ...]]] = {
    "service": ("functions/contract/entities/things.py", "functions/services/things/**", "tests/services/things/**"),
    "view": ("functions/views/inventory/**", "tests/views/inventory/**"),
    "control": ("functions/services/watch/**", "tests/services/watch/**"),
}
"""Kind of a slice -> the files of the template that it consists of."""

# What running the template leaves behind.
LEFT_BEHIND: Final = frozenset(
    {"__pycache__", ".hypothesis", ".local", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv"}
    | {"cdk.out", "events", "node_modules", "vendor"}
)

OTHERS: Final = frozenset({"requirements"})
"""Folders that name what others made; no word of theirs is the template's."""


def files(*patterns: str, of: Path = PROJECT) -> list[PurePosixPath]:
    """Return the files of the template, from its root, that match any of some patterns; without a pattern, all."""
    found = {file.relative_to(of) for pattern in patterns or ("**",) for file in _within(of, pattern)}
    return sorted(PurePosixPath(file) for file in found if not LEFT_BEHIND.intersection(file.parts))


def _within(folder: Path, pattern: str) -> Iterable[Path]:
    globbed = folder.rglob("*") if pattern == "**" else folder.glob(pattern.replace("/**", "/**/*"))
    return (file for file in globbed if file.is_file())


def copied(words: Words, chosen: Iterable[PurePosixPath], *, of: Path = PROJECT) -> dict[PurePosixPath, str]:
    """Return the text of each chosen file with its words replaced, by its path with its words replaced."""
    return {PurePosixPath(words(str(file))): _copied(words, of, file) for file in chosen}


def with_parts(text: str, parts: frozenset[str] | set[str]) -> str:
    """Return a file with some of its parts: lines between the comments `<name>` and `</name>`, which go in any case."""
    lines, left_out = list[str](), ""
    for line in text.splitlines(keepends=True):
        mark = PART.fullmatch(line.strip())
        if mark is None:
            lines += [] if left_out else [line]
        elif not left_out and not mark["end"]:
            left_out = mark["name"] if mark["name"] not in parts else ""
        elif mark["end"] and mark["name"] == left_out:
            left_out = ""
    return "".join(lines)


def text_of(file: PurePosixPath, folder: Path) -> str:
    """Return the text of a file of the template, or of the one in its place in another folder."""
    own = folder / file
    return (own if own.is_file() else PROJECT / file).read_text()


def slice_of(kind: str, folder: Path) -> dict[PurePosixPath, str]:
    """Return the texts of a slice, with the files of a folder in place of some, and beside them."""
    patterns = SLICES[kind]
    return {file: text_of(file, folder) for file in {*files(*patterns), *files(*patterns, of=folder)}}


def _copied(words: Words, of: Path, file: PurePosixPath) -> str:
    text = (of / file).read_text()
    return text if file.parts[0] in OTHERS else words(text)


def written(root: Path, texts: Mapping[PurePosixPath, str]) -> list[Path]:
    """Write files below a root; return their paths.

    Raises:
        NotNew: one of them is there already. Nothing was written.

    """
    if there := [str(file) for file in texts if (root / file).exists()]:
        raise NotNew(f"there already: {', '.join(there)}")
    for file, text in texts.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    return [root / file for file in texts]


def tidied(root: Path, written: Iterable[Path]) -> None:
    """Put Python files into the format of a project, with the imports that they need: other words have other lengths.

    Raises:
        NotNew: the library was installed without the extra that this takes.

    """
    if find_spec("ruff") is None:
        raise NotNew(NO_EXTRAS)
    python = [str(file) for file in written if file.suffix == ".py"]
    for command in (("check", "--quiet", "--fix-only", "--select=I,F401"), ("format", "--quiet")):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--no-cache", *python], cwd=root, check=True)
