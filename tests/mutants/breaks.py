"""Laws that no operator breaks: data in `breaks.toml` beside the tests that notice.

    [[breaks]]
    then = "a history starts over after the TTL"
    of = "andon.versions.optimistic_lock:_upon_nothing"
    change = "newest['version'] -> 0"
    by = "test_resource.py"

`then` says what becomes of the law. `change` says expressions or statements of Python, compared by their trees, so that
no format matters; with `file` in place of `of` both are texts. `by` is a file, or a test in it, of the same folder.
"""

import ast
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from tests.mutants import mutate
from tests.mutants.mutate import ROOT, Mutant

FOLDERS: Final = ("library/tests", "gateway/tests", "tests", "lab/tests")
ARROW: Final = " -> "
_LINKED: Final = (".venv", "node_modules")
_LONGEST_S: Final = 900
_PYTEST: Final = (
    sys.executable,
    "-m",
    "pytest",
    "-qx",
    "-c",
    "pyproject.toml",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:schemathesis",
)


class Misfit(Exception):
    """An entry does not fit the code."""


class Breaks(NamedTuple):
    """An entry. folder: of the file that it is in, from the root of the tree."""

    then: str
    change: str
    by: str
    folder: str
    of: str = ""
    file: str = ""

    @property
    def test(self) -> str:
        """The beginning of the ids of the tests that notice."""
        return f"{self.folder}/{self.by}"

    @property
    def texts(self) -> tuple[str, str]:
        """What becomes what."""
        before, arrow, after = self.change.partition(ARROW.rstrip())
        if not arrow:
            raise Misfit(f"{self.then}: no{ARROW}in {self.change}")
        return before.strip(), after.strip()

    def mutant(self) -> Mutant:
        """Return the mutant of a function; Raises: Misfit."""
        module, _, name = self.of.partition(":")
        file, owner = mutate.file_of(module), tuple(name.split(".")) if name else ()
        tree = ast.parse((ROOT / file).read_text())
        units = [one for names, one in mutate.units(tree.body) if names == owner] if owner else [tree]
        before, after = map(_parsed, self.texts)
        wanted = ast.dump(before)
        every = [place for unit in units for place in mutate.places(unit, every=True)]
        found = [place for place in every if ast.dump(place.node) == wanted]
        if len(found) != 1:
            raise Misfit(f"{self.then}: {self.of} has {len(found)} times: {self.texts[0]}")
        body = [place.node for unit in units if isinstance(unit, ast.FunctionDef) for place in mutate.places(unit)]
        ast.fix_missing_locations(ast.copy_location(after, found[0].node))
        in_function = any(node is found[0].node for node in body)
        return Mutant(file, owner, "law", self.then, tree, found[0], after, in_function, (self.test,))

    def applied_to_text(self) -> str:
        """Return the changed text of a file that is not Python; Raises: Misfit."""
        before, after = self.texts
        source = (ROOT / self.file).read_text()
        if source.count(before) != 1:
            raise Misfit(f"{self.then}: {self.file} has {source.count(before)} times: {before}")
        return source.replace(before, after)


def all_breaks() -> Iterator[Breaks]:
    """Yield the entries of all folders of tests."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("breaks.toml")):
            for entry in tomllib.loads(path.read_text())["breaks"]:
                yield Breaks(folder=path.parent.relative_to(ROOT).as_posix(), **entry)


def tried_in_a_copy(laws: Sequence[Breaks]) -> Iterator[int]:
    """Yield pytest's exit status for each change of a text, made in a copy of the tree: tests open such files."""
    with TemporaryDirectory(prefix="mutants-") as home:
        tree = Path(home, "tree")
        unneeded = shutil.ignore_patterns(
            *_LINKED, ".git", ".local", "cdk.out", "__pycache__", ".mypy_cache", ".ruff_cache"
        )
        shutil.copytree(ROOT, tree, ignore=unneeded, symlinks=True)
        for name in _LINKED:
            (tree / name).symlink_to((ROOT / name).resolve())
        for law in laws:
            (tree / law.file).write_text(law.applied_to_text())
            yield subprocess.run(
                [*_PYTEST, law.test], cwd=tree, check=False, capture_output=True, timeout=_LONGEST_S
            ).returncode
            shutil.copy(ROOT / law.file, tree / law.file)


def _parsed(text: str) -> ast.AST:
    body = ast.parse(text).body
    match body:
        case [ast.Expr(value)] if not isinstance(value, ast.Yield | ast.YieldFrom):
            return value
        case [one]:
            return one
    return ast.If(ast.Constant(value=True), body, [])
