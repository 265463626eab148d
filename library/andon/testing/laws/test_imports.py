"""Imports: no package needs another one, and a handler loads no more than it must."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from andon.packages.package import FUNCTIONS, ROLES
from andon.wire import aws


def modules(file: str) -> list[str]:
    paths = sorted(FUNCTIONS.glob(f"*/*/{file}.py"))
    return [".".join(path.relative_to(FUNCTIONS).with_suffix("").parts) for path in paths]


DECLARED = ("routes", "tables", "facts", "subscriptions", "view", "store")
DECLARATIONS = [module for file in DECLARED for module in modules(file)]


def loaded_by(module: str, **environment: str) -> set[str]:
    code = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        cwd=FUNCTIONS,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("path", sorted(FUNCTIONS.rglob("*.py")), ids=lambda path: str(path.relative_to(FUNCTIONS)))
def test_no_file_imports_another_package(path: Path) -> None:
    imported = set(_imports(path))
    owner = path.relative_to(FUNCTIONS).parts
    mine = ".".join(owner[:2])

    of_packages = {name for name in imported if name.startswith(("pages.", "services.", "stores.", "views."))}
    assert not {name for name in of_packages if not _within(name, mine)}


@pytest.mark.parametrize("module", [*DECLARATIONS, "andon.packages.discovery"])
def test_declarations_and_what_reads_them_load_neither_aws_nor_http_nor_cdk(module: str) -> None:
    assert not {"boto3", "botocore", "pydantic", "aws_lambda_powertools", "aws_cdk"} & loaded_by(module)


@pytest.mark.parametrize("module", [module for role in ROLES for module in modules(role)])
def test_no_handler_loads_boto3_when_it_is_initialised(module: str) -> None:
    """S3 and SQS are called through it, so the fault store's handlers load it, at their first call."""
    on_lambda = {"AWS_WIRE": aws.LIBCURL, "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}

    loaded = loaded_by(module, **on_lambda)

    assert "andon.runtime.log" in loaded
    # Powertools looks whether botocore is there, without loading what is in it.
    assert not {"boto3", "botocore.session"} & loaded


@pytest.mark.parametrize("module", [*modules("trigger"), *modules("listener"), *modules("push"), *modules("sweep")])
def test_what_no_caller_waits_for_loads_neither_pydantic_nor_the_x_ray_sdk(module: str) -> None:
    assert not {"pydantic", "aws_xray_sdk"} & loaded_by(module)


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
