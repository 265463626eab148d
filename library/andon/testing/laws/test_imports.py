"""Imports: no package needs another one, and a handler loads no more than it must."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from andon.handlers.declared import PACKAGE
from andon.packages.discovery import packages
from andon.packages.package import Package
from andon.packages.source import source
from andon.project import project
from andon.wire import aws


def modules(file: str) -> list[str]:
    return [
        ".".join(place.with_suffix("").parts)
        for _, place in source().files()
        if place.name == f"{file}.py" and len(place.parts) > len(("side", "file"))
    ]


DECLARED = ("tables", "facts", "subscriptions", "view", "store")
DECLARATIONS = [module for file in DECLARED for module in modules(file)]
HANDLERS = [(package, role) for package in packages() for role in package.roles]
ON_LAMBDA: Final = {"AWS_WIRE": aws.LIBCURL, "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}


@cache
def loaded_at_init(package: Package, role: str) -> set[str]:
    module = package.handler_name(role).removesuffix(".handler")
    return loaded_by(module, **{PACKAGE: package.folder}, **ON_LAMBDA)


def loaded_by(module: str, **environment: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": project().imports} | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(("path", "place"), [one for one in source().files() if one[0].suffix == ".py"], ids=str)
def test_no_file_imports_another_package(path: Path, place: Path) -> None:
    imported = {name.removeprefix("andon.") if name.startswith("andon.stores.") else name for name in _imports(path)}
    owner = place.parts[1:] if place.parts[0] == "andon" else place.parts
    mine = ".".join(owner[:2])

    of_packages = {name for name in imported if name.startswith(("pages.", "services.", "stores.", "views."))}
    assert not {name for name in of_packages if not _within(name, mine)}


@pytest.mark.parametrize("module", [*DECLARATIONS, "andon.packages.discovery"])
def test_declarations_and_what_reads_them_load_neither_aws_nor_http_nor_cdk(module: str) -> None:
    assert not {"boto3", "botocore", "pydantic", "aws_lambda_powertools", "aws_cdk"} & loaded_by(module)


@pytest.mark.parametrize(("package", "role"), HANDLERS, ids=lambda value: getattr(value, "folder", value))
def test_no_handler_loads_boto3_when_it_is_initialised(package: Package, role: str) -> None:
    """S3 and SQS are called through it, so the fault store's handlers load it, at their first call."""
    loaded = loaded_at_init(package, role)

    assert "andon.runtime.log" in loaded
    # Powertools looks whether botocore is there, without loading what is in it.
    assert not {"boto3", "botocore.session"} & loaded


@pytest.mark.parametrize(
    ("package", "role"),
    [(package, role) for package, role in HANDLERS if role in {"trigger", "listener", "push", "sweep"}],
    ids=lambda value: getattr(value, "folder", value),
)
def test_what_no_caller_waits_for_loads_only_what_it_needs(package: Package, role: str) -> None:
    assert not {"pydantic", "aws_xray_sdk", "pathlib", "http"} & loaded_at_init(package, role)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
