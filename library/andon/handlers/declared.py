"""Declarations of the package that a function belongs to, loaded when the function is initialised.

A package is named by its folder, as `views/things`. A function's environment names its own, so that it loads no other;
a process that runs several packages names each itself.
"""

import os
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext

PACKAGE: Final = "ANDON_PACKAGE"
"""Environment variable with the package of a function."""

ROOM: Final = __name__.rpartition(".")[0]

Handler = Callable[[JsonObject, LambdaContext], Any]


def of_environment(handler_of: Callable[[str], Handler]) -> Handler:
    """Return Lambda's entry point: the handler of the package that the environment names."""
    package = os.environ.get(PACKAGE)
    return handler_of(package) if package else _refuse


def load(package: str, file: str) -> Any:  # noqa: ANN401  a module
    """Import a file of a package."""
    return import_module(f"{package.replace('/', '.')}.{file}")


def has(package: str, file: str) -> bool:
    """Return True if a package has a file, without an import of it."""
    return find_spec(f"{package.replace('/', '.')}.{file}") is not None


def publishing_trigger(has_file: Callable[[str], bool]) -> str:
    """Return the name of the module here whose trigger publishes, by the files of a package, and does what goes along.

    A trigger may also decide, or delete contents.
    """
    if has_file("control"):
        return "control_trigger"
    return "content_trigger" if has_file("contents") else "trigger"


def name_of(package: str) -> str:
    """Return the name of a package: the last part of its folder."""
    return package.rpartition("/")[2]


def _refuse(*_: object) -> None:
    raise LookupError(f"{PACKAGE} names no package")
