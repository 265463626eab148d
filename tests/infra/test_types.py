"""mypy reads few modules of aws-cdk-lib, which are most of its work: all that are used have to be among them."""

import ast
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib.util import find_spec

from tests.support.infra.synthesised import PROJECT

FOLDERS = ("infra", "library", "demo", "bench", "tests")
SOURCES = [PROJECT / "app.py", *(file for folder in FOLDERS for file in (PROJECT / folder).rglob("*.py"))]


def read_by_mypy() -> list[str]:
    overrides = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    return [name for one in overrides if one.get("follow_imports") == "normal" for name in one["module"]]


def imported(source: str) -> Iterator[str]:
    """Yield the modules of the library that a file imports."""
    for node in ast.walk(ast.parse(source)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [f"{node.module}.{one.name}" for one in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
        yield from (name for name in names if name.split(".")[0] == "aws_cdk" and is_module(name))


def is_module(name: str) -> bool:
    """Return True if a name is that of a module, and not of something in one."""
    return not name.rpartition(".")[2][:1].isupper() and find_spec(name) is not None


def test_mypy_reads_what_is_imported() -> None:
    patterns = read_by_mypy()
    sources = [source for file in SOURCES if "aws_cdk" in (source := file.read_text())]
    used = {name for source in sources for name in imported(source)}

    assert {"aws_cdk", "aws_cdk.aws_lambda", "aws_cdk.assertions"} <= used
    assert {name for name in used if not any(fits(name, pattern) for pattern in patterns)} == set()


def fits(name: str, pattern: str) -> bool:
    """Return True if a pattern of mypy names a module: `a.*.b` is `a.b`, too."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.replace(".*.", "."))
