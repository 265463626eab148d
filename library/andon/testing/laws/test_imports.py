"""Imports: no package needs another one, and a handler loads no more than it must."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

import pytest

from andon.handlers.declared import PACKAGE
from andon.packages.discovery import packages, source
from andon.packages.package import Package
from andon.project import project
from andon.testing.imports import imports_that
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

FAR_FROM_DECLARATIONS: Final = frozenset({"boto3", "botocore", "pydantic", "aws_lambda_powertools", "aws_cdk"})
# Powertools looks whether botocore is there, without loading what is in it.
BOTO3: Final = frozenset({"boto3", "botocore.session"})
SLOW_TO_LOAD: Final = frozenset({"pydantic", "aws_xray_sdk", "pathlib", "http"})

_LATER: Final = "import that in the function which needs it, or keep it in command.py and query.py"

POWERTOOLS: Final = "aws_lambda_powertools"

OF_PACKAGES: Final = ("pages.", "services.", "stores.", "views.")

# Handlers of one role are the same modules: each is initialised anew, with its package.
IMPORTING: Final = """
import json, os, sys
for line in sys.stdin:
    module, environment = json.loads(line)
    os.environ.update(environment)
    for name in [one for one in sys.modules if one.startswith("andon.handlers.")]:
        del sys.modules[name]
    try:
        __import__(module)
        print(json.dumps([*sys.modules]), flush=True)
    except BaseException:
        import traceback
        print(json.dumps(traceback.format_exc()), flush=True)
"""


class Importer:
    """A Python that imports one module after the other, until one of them brings what none of them may load.

    Then another one takes over, so that the next module is not blamed for it. To start one for each of a hundred
    modules takes ten times as long.
    """

    def __init__(self, forbidden: frozenset[str]) -> None:
        self._forbidden = forbidden
        self._process = _importing()

    def loaded_by(self, module: str, environment: Mapping[str, str]) -> set[str]:
        """Return all modules that are loaded once this one is imported, and those before it."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        print(json.dumps([module, dict(environment)]), file=stdin, flush=True)
        said = json.loads(stdout.readline())
        if isinstance(said, str) or self._forbidden.intersection(said):
            self.end()
            self._process = _importing()
        assert not isinstance(said, str), said
        return set(said)

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def _importing() -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", IMPORTING],
        env=os.environ | {"PYTHONPATH": project().imports},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


class LoadedBy(Protocol):
    """The command by which a test learns the modules that a module loads."""

    def __call__(self, module: str, forbidden: frozenset[str], **environment: str) -> set[str]:
        """Return all modules that are loaded once this one is imported, among others none of which is forbidden."""


@pytest.fixture(scope="module")
def loaded_by() -> Iterator[LoadedBy]:
    importers: dict[frozenset[str], Importer] = {}

    def loaded(module: str, forbidden: frozenset[str], **environment: str) -> set[str]:
        if forbidden not in importers:
            importers[forbidden] = Importer(forbidden)
        return importers[forbidden].loaded_by(module, environment)

    yield loaded
    for importer in importers.values():
        importer.end()


def at_init(package: Package, role: str) -> dict[str, str]:
    """Return the source that initialises a handler, for `loaded_by`."""
    module = package.handler_name(role).removesuffix(".handler")
    return {"module": module, PACKAGE: package.folder, **ON_LAMBDA}


@pytest.mark.parametrize(("path", "place"), [one for one in source().files() if one[0].suffix == ".py"], ids=str)
def test_no_file_imports_another_package(path: Path, place: Path) -> None:
    owner = place.parts[1:] if place.parts[0] == "andon" else place.parts
    mine = ".".join(owner[:2])

    def is_of_another_package(name: str) -> bool:
        imported = name.removeprefix("andon.") if name.startswith("andon.stores.") else name
        return imported.startswith(OF_PACKAGES) and not _within(imported, mine)

    foreign = imports_that(is_of_another_package, path.read_text())
    assert not foreign, f"{place} imports {', '.join(foreign)}: packages share what is in contract/, and events"
    relative = imports_that(lambda name: name.startswith("."), path.read_text())
    assert not relative, f"{place} imports {', '.join(relative)}: write imports absolutely"


@pytest.mark.parametrize("module", [*DECLARATIONS, "andon.packages.discovery"])
def test_declarations_and_what_reads_them_load_neither_aws_nor_http_nor_cdk(loaded_by: LoadedBy, module: str) -> None:
    loaded = FAR_FROM_DECLARATIONS & loaded_by(module, FAR_FROM_DECLARATIONS)

    assert not loaded, f"{module} loads {', '.join(sorted(loaded))}: {_LATER}"


@pytest.mark.parametrize(("package", "role"), HANDLERS, ids=lambda value: getattr(value, "folder", value))
def test_no_handler_loads_boto3_when_it_is_initialised(loaded_by: LoadedBy, package: Package, role: str) -> None:
    """S3 and SQS are called through it, so the fault store's handlers load it, at their first call."""
    loaded = loaded_by(forbidden=BOTO3 | {POWERTOOLS}, **at_init(package, role))

    assert "andon.runtime.log" in loaded
    assert not BOTO3 & loaded, f"{package.path(role)} loads {', '.join(sorted(BOTO3 & loaded))}: {_LATER}"
    # It is in a layer that no other function gets.
    assert (POWERTOOLS in loaded) == (role in package.powertools)


@pytest.mark.parametrize(
    ("package", "role"),
    [(package, role) for package, role in HANDLERS if role in {"trigger", "listener", "push", "sweep"}],
    ids=lambda value: getattr(value, "folder", value),
)
def test_what_no_caller_waits_for_loads_only_what_it_needs(loaded_by: LoadedBy, package: Package, role: str) -> None:
    loaded = SLOW_TO_LOAD & loaded_by(forbidden=SLOW_TO_LOAD, **at_init(package, role))

    assert not loaded, f"{package.path(role)} loads {', '.join(sorted(loaded))}: {_LATER}"


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
