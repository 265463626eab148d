"""The library stands alone: its code and its tests import nothing beside it but declared packages."""

import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import pytest

from andon.project import library_folder
from andon.testing.imports import imports

HERE: Final = library_folder().parent
TESTS: Final = Path(__file__).parent
OTHER_PROJECTS: Final = ("andon/tools/templates/", "tests/foreign/")
NAME: Final = re.compile(r"^[A-Za-z][\w.-]*", re.MULTILINE)


distributions = cache(packages_distributions)


def normalized(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


@pytest.fixture(scope="module")
def declared() -> frozenset[str]:
    """Distributions that the library or its tests ask for, and those that are pinned for the tools, theirs included."""
    read = tomllib.loads((HERE / "pyproject.toml").read_text())
    of = read["project"]
    asked = [*of["dependencies"], *of["optional-dependencies"].values(), *read["dependency-groups"].values()]
    asked += [read["build-system"]["requires"]]
    texts = [text for some in asked for text in ([some] if isinstance(some, str) else some)]
    pins = [file.read_text() for file in (HERE / "andon" / "tools" / "pins").glob("*.txt")]
    return frozenset(normalized(name) for text in (*texts, *pins) for name in NAME.findall(text))


def outside(source: str, declared: frozenset[str]) -> set[str]:
    """Return imports that are neither Python's, nor the library's or its tests', nor declared."""
    return {name for name in imports(source) if not _is_known(name, declared)}


def _is_known(name: str, declared: frozenset[str]) -> bool:
    root = name.partition(".")[0]
    if root in sys.stdlib_module_names:
        return True
    folder = HERE if root == library_folder().name else TESTS
    if (folder / root).exists() or (folder / f"{root}.py").exists():
        places = [folder.joinpath(*name.split(".")), folder.joinpath(*name.split(".")[:-1])]
        return any(place.with_suffix(".py").is_file() or (place / "__init__.py").is_file() for place in places) or (
            places[0].is_dir()
        )
    return bool({normalized(one) for one in distributions().get(root, [root])} & declared)


def test_nothing_beside_the_library_is_imported(declared: frozenset[str]) -> None:
    files = {file.relative_to(HERE).as_posix(): file for file in sorted(HERE.rglob("*.py"))}
    found = {
        name: outside(file.read_text(), declared)
        for name, file in files.items()
        if not name.startswith(OTHER_PROJECTS) and not name.startswith((".", "build/"))
    }

    assert len(found) > 400
    assert {name: sorted(names) for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "line",
    [
        *("from tests.support.samples import NOW", "import lab.load", "from project import PROJECT"),
        *("from views.board import view", "from andon.no_room import x", "def late():\n    import contract.groups"),
    ],
)
def test_an_import_of_what_stands_beside_it_is_found(line: str, declared: frozenset[str]) -> None:
    assert outside(line, declared)


@pytest.mark.parametrize(
    "line",
    ["from events.test_group import ODD_GROUPS", "from toys import shelves", "import botocore.config", "import re"],
)
def test_an_import_of_its_own_or_of_what_it_declares_is_not_found(line: str, declared: frozenset[str]) -> None:
    assert outside(line, declared) == set()
