"""Verbs as the person at the terminal writes them: `make fill VIEW=things`, without a Makefile `andon fill things`."""

import os
import shlex
from typing import Final

BY: Final = "ANDON_CALLED_BY"
"""Environment variable: `make`, which is the default, or `andon`."""

MAKE: Final = "make"
ANDON: Final = "andon"
WITH_VARIABLES: Final = {"console", "inbox", "query", "trace", "what-if"}
"""Verbs that read variables of the environment; `andon query NAME=…` sets them, as `make query NAME=…` does."""

OPTIONS: Final = {"ALSO", "END", "GONE", "PORT", "STACK"}
FLAGS: Final = {"AGAIN", "UNCOMMITTED"}
"""Variables that are options of `andon`, with a value or without; all others are arguments."""


def as_called(verb: str, **variables: int | str | tuple[str, ...]) -> str:
    """Return a verb with its arguments, named as in the Makefile, as a shell takes them."""
    words = {name: value if isinstance(value, tuple) else (f"{value}",) for name, value in variables.items()}
    if is_by_make() or verb in WITH_VARIABLES:
        given = [f"{name}={shlex.quote(' '.join(said))}" for name, said in words.items()]
    else:
        given = [word for name, said in words.items() for word in _as_arguments(name, said)]
    return " ".join([MAKE if is_by_make() else ANDON, verb, *given])


def _as_arguments(name: str, said: tuple[str, ...]) -> list[str]:
    option = [f"--{name.lower()}"] if name in OPTIONS | FLAGS else []
    return option + ([] if name in FLAGS else [shlex.quote(one) for one in said])


def install() -> str:
    """Return the command that installs the tools."""
    return f"{MAKE} install" if is_by_make() else "install it as the library's README says"


def is_by_make() -> bool:
    """Return True if make runs the verb, which says of each status but 0 that it is an error."""
    return os.environ.get(BY, MAKE) == MAKE
