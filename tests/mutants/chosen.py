"""The mutants that a run is about, and the tests that shall notice them."""

import ast
import random
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final

from tests.mutants import mutate
from tests.mutants.mutate import ROOT, Mutant, Owner

NIGHTS: Final = 7
ACCEPTED: Final = Path(__file__).with_name("accepted.toml")

# Their tests make projects, templates and stacks, which takes minutes: `FILE=` tries what is below them, too.
_DEAR_CODE: Final = ("library/andon/tools/", "library/andon/cdk/", "library/andon/testing/")
_TRIED: Final = ("library/andon", "functions")
_TESTS: Final = ("library/tests", "gateway/tests", "tests", "lab/tests")
_DEAR_TESTS: Final = re.compile(
    r"(lab|gateway)/tests/|(library/)?tests/(demo|e2e|foreign|gateway|infra|mutants|pages|releases|tools)/"
)
_LAWS: Final = {
    name: f"library/andon/testing/laws/test_{name}.py" for name in ("contracts", "drift", "duplicates", "orders")
}
_ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {  # rooms of the library whose tests are those of the product
    "library/andon/drift": ("tests/views/test_drift.py", _LAWS["drift"]),
    "library/andon/handlers": ("tests/services/test_triggers.py", "tests/views/test_every_view.py", _LAWS["contracts"]),
    "library/andon/recorded": ("library/tests/stores", "tests/stores"),
    "library/andon/stores": ("tests/stores",),
}


def accepted() -> dict[tuple[str, str], str]:
    """Return the reason of each mutant that may survive, by its module:function and change."""
    tables = tomllib.loads(ACCEPTED.read_text())
    return {(of, change): why for of, changes in tables.items() for change, why in changes.items()}


def files() -> list[str]:
    """Return the files whose mutants are tried night by night."""
    found = (path.relative_to(ROOT).as_posix() for folder in _TRIED for path in (ROOT / folder).rglob("*.py"))
    return sorted(file for file in found if is_tried(file))


def is_tried(file: str) -> bool:
    """Return True if a file's mutants are tried without being asked for."""
    return file.startswith(_TRIED) and file.endswith(".py") and not file.startswith(_DEAR_CODE)


def tests_of(file: str) -> list[str]:
    """Return the tests of a file's room, in front those that import it, and of a package its laws."""
    parts = Path(file).parts
    rooms = {
        "library": ("library", "tests", *parts[2:-1]),
        "functions": ("tests", *parts[1:-1]),
        **{name: (name, "tests") for name in ("gateway", "lab")},
    }
    room = Path(*rooms.get(parts[0], ("tests", parts[0])))
    while len(room.parts) > 1 and not (ROOT / room).is_dir():
        room = room.parent
    importing = [name for name, text in _texts_of_tests().items() if _imports(text, mutate.module_of(file))]
    elsewhere = _ELSEWHERE.get("/".join(parts[:3]), ())
    if room.as_posix() in _TESTS:
        return [*importing, *elsewhere]
    laws = _LAWS.values() if parts[0] == "functions" and parts[1] != "contract" else ()
    return [*(name for name in importing if name.startswith(f"{room}/")), room.as_posix(), *elsewhere, *laws]


@cache
def _texts_of_tests() -> Mapping[str, str]:
    found = [path.relative_to(ROOT).as_posix() for folder in _TESTS for path in (ROOT / folder).rglob("test_*.py")]
    return {name: (ROOT / name).read_text() for name in sorted(found) if not _DEAR_TESTS.match(name)}


def _imports(text: str, module: str) -> bool:
    package, _, name = module.rpartition(".")
    names = next((line for line in text.splitlines() if line.startswith(f"from {package} import ")), "")
    return (
        f"from {module} import " in text
        or f"import {module}\n" in text
        or name in names.split("import ")[-1].split(", ")
    )


def base() -> str | None:
    """Return the revision that a change is held against: where it left origin/main, else the one before; if any."""
    head, fork = _git("rev-parse", "HEAD"), _git("merge-base", "HEAD", "origin/main")
    return fork if fork and fork != head else _git("rev-parse", "--verify", "--quiet", "HEAD~1")


def touched(since: str) -> tuple[list[Mutant], list[Mutant]]:
    """Return the mutants of the functions whose trees differ from those of a revision: new ones, and those of before.

    Raises: SystemExit: there is no such revision.
    """
    if _git("rev-parse", "--verify", "--quiet", f"{since}^{{commit}}") is None:
        raise SystemExit(f"There is no revision {since} here.")
    names = [
        *_lines("diff", "--name-only", since, "--", *_TRIED),
        *_lines("ls-files", "-o", "--exclude-standard", *_TRIED),
    ]
    new: list[Mutant] = []
    old: list[Mutant] = []
    for file in [name for name in names if is_tried(name) and (ROOT / name).exists()]:
        before = _git("show", f"{since}:{file}") or ""
        changed = trees_of((ROOT / file).read_text()) - trees_of(before)
        owners = {owner for owner, _ in changed}
        known = {(one.owner, one.operator, one.said) for one in mutate.mutants_of(file, before, owners)}
        for one in mutate.mutants_of(file, owners=owners):
            (old if (one.owner, one.operator, one.said) in known else new).append(one)
    return new, old


def trees_of(source: str) -> set[tuple[Owner, str]]:
    """Return the functions of a text by name, each with its tree."""
    return {(owner, ast.dump(unit)) for owner, unit in mutate.units(ast.parse(source).body)}


def _git(*arguments: str) -> str | None:
    try:
        said = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return said.stdout.rstrip("\n")


def _lines(*arguments: str) -> list[str]:
    return (_git(*arguments) or "").splitlines()


def drawn(mutants: Iterable[Mutant]) -> list[Mutant]:
    """Return mutants in an order in which any beginning has as many of each function as can be, the same each time."""
    by_function = defaultdict[str, list[Mutant]](list)
    for one in mutants:
        by_function[one.of].append(one)
    for of, some in by_function.items():
        random.Random(of).shuffle(some)  # noqa: S311  no secret
    return [one for one in chain(*zip_longest(*by_function.values())) if one]
