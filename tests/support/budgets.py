"""Counts of what has to be read: statements, public names and sentences that lean by room, words of pages by folder.

`make budgets` lowers `tests/budgets.toml` to them; to raise a budget is a line that somebody writes, and argues.
"""

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from andon.project import project

FILE: Final = "tests/budgets.toml"
STATEMENTS: Final = "statements"
ALONE: Final = "public names that no other file uses"
WORDS: Final = "words"
LEANING: Final = "first lines that lean on what, who or whether"
NAMED_OF: Final = "functions that end with _of"

ROOMS: Final = (
    *("library/tests", "gateway/tests", "lab/tests", "tests"),
    *("library/andon/*", "functions/*/*", "functions/*", "gateway/andon_gateway", "infra", "demo", "lab"),
)
"""The first that fits names the room of a file."""

NO_ROOM: Final = re.compile(r"library/andon/tools/templates/|library/tests/foreign/|/\.")
LEANS: Final = re.compile(r"\b(?:what|who|whether)(?:ever|se)?\b", re.IGNORECASE)
"""In the first line of a docstring: it names no thing."""

COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
"""In a page nobody reads it: a mark of a figure, as a rule."""

_UNREAD: Final = (ast.Import, ast.ImportFrom)

Budgets = Mapping[str, Mapping[str, int]]
"""What is counted -> room or folder -> count."""


def counted(root: Path) -> Budgets:
    """Return the counts of a tree."""
    files = {path: ast.parse((root / path).read_text()) for path in _paths(root, "*.py") if not NO_ROOM.search(path)}
    pages = {path: (root / path).read_text() for path in _paths(root, "*.md") if not NO_ROOM.search(path)}
    return {
        STATEMENTS: _by_room((path, _statements(tree)) for path, tree in files.items()),
        ALONE: _by_room(_alone({path: tree for path, tree in files.items() if not _is_test(path)})),
        LEANING: _by_room((path, _leaning(tree)) for path, tree in files.items()),
        NAMED_OF: _by_room((path, _named_of(tree)) for path, tree in files.items()),
        WORDS: _summed((_folder_of(path), len(COMMENT.sub("", text).split())) for path, text in pages.items()),
    }


def read(root: Path) -> Budgets:
    """Return the budgets that are allowed."""
    budgets: Budgets = tomllib.loads((root / FILE).read_text())
    return budgets


def lowered(now: Budgets, allowed: Budgets) -> str:
    """Return the text of the file in which nothing is allowed that is not needed; a room that is new has its count."""
    lines = ["# Written by `make budgets`, which only lowers them."]
    for kind, counts in now.items():
        rooms = {room: min(count, allowed.get(kind, {}).get(room, count)) for room, count in sorted(counts.items())}
        lines += ["", f'["{kind}"]', *(f'"{room}" = {count}' for room, count in rooms.items() if count)]
    return "\n".join(lines) + "\n"


def _paths(root: Path, pattern: str) -> Iterator[str]:
    for top in sorted(root.iterdir()):
        if top.is_dir() and not top.name.startswith((".", "node_modules", "cdk.out")):
            yield from (file.relative_to(root).as_posix() for file in sorted(top.rglob(pattern)))
        elif top.match(pattern):
            yield top.name


def _folder_of(path: str) -> str:
    """Return the folder of a page; one at the top counts by itself."""
    return path.rpartition("/")[0] or path


def _room_of(path: str) -> str | None:
    for room in ROOMS:
        deep = room.count("/") + 1
        parts = path.split("/")
        if len(parts) > deep and Path(*parts[:deep]).match(room):
            return "/".join(parts[:deep])
    return None


def _is_test(path: str) -> bool:
    return path.startswith(("tests/", "library/tests/", "gateway/tests/", "lab/tests/"))


def _statements(tree: ast.Module) -> int:
    """Return the number of statements that are neither imports nor docstrings."""
    return sum(
        isinstance(node, ast.stmt)
        and not isinstance(node, _UNREAD)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(tree)
    )


def _leaning(tree: ast.Module) -> int:
    documented = (one for one in ast.walk(tree) if isinstance(one, (ast.Module, ast.ClassDef, ast.FunctionDef)))
    said = (ast.get_docstring(one) or "" for one in documented)
    return sum(bool(LEANS.search(text.partition("\n")[0])) for text in said)


def _named_of(tree: ast.Module) -> int:
    return sum(isinstance(one, ast.FunctionDef) and one.name.endswith("_of") for one in ast.walk(tree))


def _alone(files: Mapping[str, ast.Module]) -> Iterator[tuple[str, int]]:
    """Yield each file with the number of its public names that stand in no other file."""
    used = Counter(name for tree in files.values() for name in {*_names(tree)})
    for path, tree in files.items():
        yield path, sum(used[name] < 2 for name in _defined(tree.body))


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    for one in body:
        match one:
            case (
                ast.FunctionDef(name)
                | ast.ClassDef(name)
                | ast.AnnAssign(ast.Name(name))
                | ast.Assign([ast.Name(name)])
            ):
                if not name.startswith("_"):
                    yield name


def _names(tree: ast.Module) -> Iterator[str]:
    yield from _defined(tree.body)
    for node in ast.walk(tree):
        match node:
            case ast.Name(name) | ast.alias(name) | ast.Attribute(_, name):
                yield name


def _by_room(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    return _summed((room, count) for path, count in counts if (room := _room_of(path)))


def _summed(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    found = defaultdict[str, int](int)
    for where, count in counts:
        found[where] += count
    return dict(found)


if __name__ == "__main__":
    of = project().root
    there = read(of) if (of / FILE).is_file() else {}
    (of / FILE).write_text(lowered(counted(of), there))
    sys.stdout.write(f"{FILE} is as low as it can be\n")
