"""The parts of this repository, of which each could stand in one of its own, in the order in which they import.

A part imports from those before it alone, by their distributions, and nothing of their tests: `crossings` names what
does not. `make apart` tries each alone.
"""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from andon.project import project
from andon.testing.imports import imports

ROOT: Final = project().root


class Part(NamedTuple):
    """A part. folder: of its distribution; an application has none. of: beginnings of its files; "": all others.

    upon: the parts before it. roots: of its modules. beside: beginnings of files of the factory that lie beside it,
    without tests: pages that are shipped, or the application. on_stack: tests that are left to `make test`.
    """

    of: str
    tests: tuple[str, ...]
    roots: Sequence[str]
    folder: str = ""
    upon: Sequence[str] = ()
    beside: tuple[str, ...] = ()
    on_stack: str = ""


PARTS: Final[Mapping[str, Part]] = {
    "library": Part("library/", ("library/tests/",), ("library/", "library/tests/"), "library", (), ("docs/",)),
    "gateway": Part("gateway/", ("gateway/tests/",), ("gateway/", "gateway/tests/"), "gateway", ("library",)),
    "factory": Part(
        "", ("tests/", "conftest.py"), ("functions/", ""), "", ("library", "gateway"), on_stack="tests/e2e"
    ),
    "lab": Part("lab/", ("lab/tests/",), ("",), "", ("library", "gateway", "factory"), ("",), "lab/tests/e2e"),
}
UPON_NOTHING: Final = "gateway/andon_gateway/"
"""It runs at a plant: only tests of the gateway import from the library."""
OF_ALL: Final = (
    "tests/infra/test_figures.py",
    "tests/infra/test_types.py",
    "tests/test_budgets.py",
    "tests/test_commands_in_docs.py",
    "tests/test_course.py",
    "tests/test_docs.py",
    "tests/test_examples.py",
    "tests/test_makefile.py",
    "tests/test_mutants.py",
    "tests/test_near.py",
    "tests/test_parts.py",
    "tests/test_pipeline.py",
    "tests/test_site.py",
    "tests/test_threat_model.py",
    "tests/test_words.py",
    "tests/tools/new/test_in_factory.py",
    "tests/tools/test_pages.py",
)
"""Tests that read the files of all parts, or build the library from its sources: left out where a part stands alone."""
OF_OTHERS: Final = ("library/andon/tools/templates/", "library/tests/foreign/", "library/tests/releases/")
"""Files of projects that are made."""


@cache
def files_of(name: str) -> Sequence[str]:
    """Return the files of a part, as git lists them."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S607
    return [file for file in listed.stdout.splitlines() if part_of(file) == name and (ROOT / file).is_file()]


def part_of(file: str) -> str:
    """Return the part that a file is of."""
    return next((name for name, part in PARTS.items() if part.of and file.startswith(part.of)), "factory")


def crossings(name: str) -> Iterator[str]:
    """Yield the imports of a part that reach into one that is not before it, or into another's tests."""
    for file in [one for one in files_of(name) if one.endswith(".py") and not one.startswith(OF_OTHERS)]:
        upon = () if file.startswith(UPON_NOTHING) else PARTS[name].upon
        for module in sorted(_imported((ROOT / file).read_text())):
            found = _modules().get(module, [])
            if found and not any(_is_open(one, name, upon) for one in found):
                yield f"{file} -> {found[0]}"


def _is_open(file: str, name: str, upon: Sequence[str]) -> bool:
    other = part_of(file)
    return other == name or (other in upon and not file.startswith(PARTS[other].tests))


def _imported(source: str) -> set[str]:
    """Return possible modules among the imports of a source: `from a.b import c` is of `a.b.c`, or of `a.b`."""
    return {module for full in imports(source) for module in (full, full.rpartition(".")[0])}


@cache
def _modules() -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, part in PARTS.items():
        for file in [one for one in files_of(name) if one.endswith(".py")]:
            for root in [one for one in part.roots if file.startswith(one)]:
                module = file.removeprefix(root).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                found.setdefault(module, []).append(file)
    return found
