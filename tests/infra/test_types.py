"""mypy reads few modules of aws-cdk-lib, and skips what packages use themselves: what is used here has to be read."""

import ast
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib.util import find_spec
from unittest.mock import patch

import pytest
from aws_cdk import App, Stack
from aws_cdk.aws_sqs import Queue

from andon.cdk.event_hub import skip_type_checks
from tests.support.infra.synthesised import PROJECT

FOLDERS = ("infra", "functions", "library", "gateway", "demo", "lab", "tests", "docs")
SOURCES = [PROJECT / "app.py", *(file for folder in FOLDERS for file in (PROJECT / folder).rglob("*.py"))]


FEW_NAMES = {"moto", "asyncua"}
"""Skipped although they are imported: of moto `mock_aws`, of asyncua what two modules of the gateway call."""


def imports_that_mypy_takes(how: str) -> list[str]:
    overrides = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["mypy"]["overrides"]
    return [name for one in overrides if one.get("follow_imports") == how for name in one["module"]]


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
    patterns = imports_that_mypy_takes("normal")
    sources = [source for file in SOURCES if "aws_cdk" in (source := file.read_text())]
    used = {name for source in sources for name in imported(source)}

    assert {"aws_cdk", "aws_cdk.aws_lambda", "aws_cdk.assertions"} <= used
    assert {name for name in used if not any(fits(name, pattern) for pattern in patterns)} == set()


def test_mypy_skips_nothing_else_that_is_imported() -> None:
    skipped = {name.partition(".")[0] for name in imports_that_mypy_takes("skip")} - {"aws_cdk"} - FEW_NAMES
    imports = re.compile(rf"^\s*(?:from|import) ({'|'.join(skipped)})\b", re.MULTILINE)

    assert {"werkzeug", "graphql"} <= skipped
    assert {file.name: found[1] for file in SOURCES if (found := imports.search(file.read_text()))} == {}


def test_what_mypy_checked_is_not_checked_again_in_a_synth_and_a_wrong_value_is_refused() -> None:
    skip_type_checks()
    with patch("typeguard.check_type", side_effect=AssertionError("checked")):
        stack = Stack(App(), "Typed")

    with pytest.raises(RuntimeError, match="visibilityTimeout"):
        Queue(stack, "Queue", visibility_timeout="soon")  # type: ignore[arg-type]


def fits(name: str, pattern: str) -> bool:
    """Return True if a pattern of mypy names a module: `a.*.b` is `a.b`, too."""
    return fnmatchcase(name, pattern) or fnmatchcase(name, pattern.replace(".*.", "."))
