"""Declarations of the package that a function belongs to, loaded when the function is initialised.

A package is named by its folder, as `views/things`. A function's environment names its own, so that it loads no other;
a process that runs several packages names each itself.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from andon.runtime.json_types import JsonObject
from andon.runtime.lambda_context import LambdaContext

if TYPE_CHECKING:
    from andon.versions.declared import Declared

PACKAGE: Final = "ANDON_PACKAGE"
"""Environment variable with the package of a function."""

ROOM: Final = __name__.rpartition(".")[0]

RESOURCES: Final = "resources"

DERIVED: Final = frozenset({"facts", "revisions", "tables", "versioning"})
"""Files that a package with RESOURCES needs only where it has something else to say."""

Handler = Callable[[JsonObject, LambdaContext], Any]


def of_environment(handler_of: Callable[[str], Handler]) -> Handler:
    """Return Lambda's entry point: the handler of the package that the environment names."""
    package = os.environ.get(PACKAGE)
    return handler_of(package) if package else _refuse


def load(package: str, file: str) -> Any:  # noqa: ANN401  a module
    """Import a file of a package; where it has none, return the module that its RESOURCES derive."""
    name = _module_of(package, file)
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name != name or file not in DERIVED or not has(package, RESOURCES):
            raise
    return _derived(package, file)


def has(package: str, file: str) -> bool:
    """Return True if a package has a file, without an import of it."""
    return find_spec(_module_of(package, file)) is not None


@cache
def _derived(package: str, file: str) -> SimpleNamespace:
    module = import_module(_module_of(package, RESOURCES))
    said = _said(file, module.RESOURCES, crosses=has(package, "subscriptions"))
    return SimpleNamespace(__file__=module.__file__, **said)


def _said(file: str, resources: "Sequence[Declared[Any, Any]]", *, crosses: bool) -> JsonObject:
    """Return the declarations of a file; each is imported by those functions that need it."""
    persons: Any = resources[0]
    if persons.design == "PERSONS":
        if len(resources) > 1:
            raise ValueError(f"{persons.service} keeps names of persons: what else there is belongs to another service")
        if file == "revisions":
            from andon.versions.erasing import revisions_of  # noqa: PLC0415

            return {"REVISIONS": revisions_of(persons)}
        return dict(persons.declarations(file))
    if file == "facts":
        from andon.versions.declared import facts_of  # noqa: PLC0415

        return {"FACTS": facts_of(resources[0].service, *resources)}
    if file == "revisions":
        from andon.versions.declared import kept  # noqa: PLC0415

        return {"REVISIONS": kept(*resources)}
    if file == "versioning":
        from andon.versions.aggregate import aggregates_of  # noqa: PLC0415

        return {"AGGREGATES": aggregates_of(*resources)}
    from andon.versions.owned import grants_of, tables_of  # noqa: PLC0415

    return {
        "TABLE": resources[0].table,
        "TABLES": tables_of(*resources),
        "GRANTS": grants_of(*resources, crosses=crosses),
    }


def _module_of(package: str, file: str) -> str:
    return f"{package.replace('/', '.')}.{file}"


def publishing_trigger(has_file: Callable[[str], bool]) -> str:
    """Return the name of the module here that holds the trigger of a package with these files.

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
