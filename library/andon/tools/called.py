"""Verbs as the person at the terminal writes them: `make fill VIEW=things`, without a Makefile `andon fill things`."""

import os
from typing import Final

BY: Final = "ANDON_CALLED_BY"
"""Environment variable: `make`, which is the default, or `andon`."""

MAKE: Final = "make"
ANDON: Final = "andon"
OPTIONS: Final = {"END": "--end", "PORT": "--port", "STACK": "--stack"}  # all others are arguments


def as_called(verb: str, **variables: object) -> str:
    """Return a verb with its arguments, named as in the Makefile."""
    if is_by_make():
        return " ".join([MAKE, verb, *(f"{name}={value}" for name, value in variables.items())])
    arguments = (f"{OPTIONS[name]} {value}" if name in OPTIONS else f"{value}" for name, value in variables.items())
    return " ".join([ANDON, verb, *arguments])


def install() -> str:
    """Return the command that installs the tools."""
    return f"{MAKE} install" if is_by_make() else "install it as the library's README says"


def deploy() -> str:
    """Return the command that deploys to AWS."""
    return f"{MAKE} deploy" if is_by_make() else "cdk deploy"


def is_by_make() -> bool:
    """Return True if make runs the verb, which says of each status but 0 that it is an error."""
    return os.environ.get(BY, MAKE) == MAKE
