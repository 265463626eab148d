"""The template of a project, a folder of real code, and copies of it or of slices of it.

`templates/project/` is a complete project of a neutral domain, *acorn*, with a package or a part of one for each option
of `andon new`: services of *things*, of *books* on shelves, of *readings* with a time of their own, of *parcels* with
an *estimate*, and of *guests* in halls, whose names are erased; views of them; and a control service *watch* with two
rules. A copy differs by its words alone, see `words.Words`, and lacks what was not asked for: packages, and parts of
files between the comments `<name>` and `</name>`. So the code of the template is linted, typed and tested as any other.

`files(*patterns)` lists its files; `slice_of(kind, name, *parts)` returns the texts of a package with some of its
parts; `written(root, texts)` writes them, or nothing if one of them is there already.
"""

import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import library_folder
from andon.tools.new.words import Name, NotNew, Words

_NO_EXTRAS: Final = "the library is installed without what this takes; install it with its extras, as andon[tools,test]"

PROJECT: Final = library_folder() / "tools" / "templates" / "project"

ACORN: Final = Name("acorn", "acorn")
THINGS: Final = Name("thing", "things")
BOOKS: Final = Name("book", "books")
READINGS: Final = Name("reading", "readings")
GUESTS: Final = Name("guest", "guests")
PARCELS: Final = Name("parcel", "parcels")
INVENTORY: Final = Name("inventory", "inventory")
CATALOGUE: Final = Name("catalogue", "catalogue")
DIARY: Final = Name("diary", "diary")
WATCH: Final = Name("watch", "watch")
RESTLESS: Final = Name("restless", "restless")
OVERDUE: Final = Name("overdue", "overdue")
INSPECTION: Final = Name("inspection", "inspection")
ESTIMATE: Final = Name("estimate", "estimate")

MOVED: Final = Name("moved", "moved")
RECORDED: Final = Name("recorded", "recorded")
SHELF: Final = Name("shelf", "shelves")
DEVICE: Final = Name("device", "devices")
HALL: Final = Name("hall", "halls")

NUMBER: Final = Name("number", "number")
PLACE: Final = Name("place", "place")
DUE: Final = Name("due", "due")
VALUE: Final = Name("value", "value")
NOTE: Final = Name("note", "note")
PART: Final = re.compile(r"(?:#|<!--) <(?P<end>/?)(?P<name>[a-z]+)>(?: -->)?")
"""The comment at which a part of a file begins or ends."""

# What running the template leaves behind.
_LEFT_BEHIND: Final = frozenset(
    {"__pycache__", ".hypothesis", ".local", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv"}
    | {"cdk.out", "events", "node_modules", "vendor"}
)

OTHERS: Final = frozenset({"requirements"})
"""Folders that name what others made; no word of theirs is the template's."""


def files(*patterns: str) -> list[PurePosixPath]:
    """Return the files of the template, from its root, that match any of some patterns; without a pattern, all."""
    found = {file.relative_to(PROJECT) for pattern in patterns or ("**",) for file in _within(pattern)}
    return sorted(PurePosixPath(file) for file in found if not _LEFT_BEHIND.intersection(file.parts))


def _within(pattern: str) -> Iterable[Path]:
    globbed = PROJECT.rglob("*") if pattern == "**" else PROJECT.glob(pattern.replace("/**", "/**/*"))
    return (file for file in globbed if file.is_file())


def outside_packages() -> list[PurePosixPath]:
    """Return the files of a project whatever it consists of."""
    packages = {*files("functions/*/**", "tests/**")}
    return [file for file in files() if file not in packages]


def slice_of(kind: str, name: Name, *parts: str) -> dict[PurePosixPath, str]:
    """Return the texts of a package, of its tests and of the entity of its name, with some of their parts.

    kind: `services` or `views`. A file that consists of other parts is none of them.
    """
    chosen = files(f"functions/{kind}/{name.many}/**", f"tests/{kind}/{name.many}/**")
    texts = {file: text_of(file, *parts) for file in [*chosen, *files(f"functions/contract/entities/{name.many}.py")]}
    return {file: text for file, text in texts.items() if text}


def control(rule: Name, part: str) -> dict[PurePosixPath, str]:
    """Return the texts of the control service with one of its rules; part: that is its `first`, or `beside` others."""
    texts = slice_of("services", WATCH, "rule", rule.one, part)
    verb = "record" if part == "first" else f"record_{rule.one}"
    return {
        file: text.replace("record_overdue(", "record(").replace("record(", f"{verb}(") for file, text in texts.items()
    }


def part_of(kind: str, name: Name, part: str) -> dict[PurePosixPath, str]:
    """Return the texts of the files of a package that have a part, without all others."""
    rest = slice_of(kind, name)
    return {file: text for file, text in slice_of(kind, name, part).items() if rest.get(file) != text}


def text_of(file: PurePosixPath, *parts: str) -> str:
    """Return the text of a file with some of its parts."""
    return with_parts((PROJECT / file).read_text(), parts)


def copied(words: Words, texts: Mapping[PurePosixPath, str]) -> dict[PurePosixPath, str]:
    """Return texts with their words replaced, by paths with their words replaced."""
    return {PurePosixPath(words(str(file))): words(text) for file, text in texts.items()}


def with_parts(text: str, parts: Collection[str]) -> str:
    """Return a file with some of its parts: lines between the comments `<name>` and `</name>`, which go in any case.

    What stood before the last part of a display or a call ends with no comma then, as if nothing had followed it.
    """
    lines, left_out, is_last = list[str](), "", False
    for line in text.splitlines(keepends=True):
        mark = PART.fullmatch(line.strip())
        if mark is not None:
            ends = mark["end"] and mark["name"] == left_out
            left_out = "" if ends else left_out or ("" if mark["end"] or mark["name"] in parts else mark["name"])
            is_last = is_last or bool(left_out)
        elif not left_out:
            if is_last and line.lstrip().startswith((")", "]", "}")):
                lines[-1] = lines[-1].rstrip(",\n") + "\n"
            lines.append(line)
            is_last = False
    return "".join(lines)


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
        raise NotNew(_NO_EXTRAS)
    python = [str(file) for file in written if file.suffix == ".py"]
    commands = ("check", "--quiet", "--fix-only", "--select=I,F401"), ("format", "--quiet")
    for command in commands if python else ():  # without a path, ruff takes all files
        subprocess.run([sys.executable, "-m", "ruff", *command, "--no-cache", *python], cwd=root, check=True)
