"""The version of a view that serves its routes: the one in `infra/serving.json`, else the oldest.

A version that replaces another stands beside it: it has a table, a queue and a listener of its own, but the routes and
the push belong to the one that serves. `make cutover` writes the file, and every clone deploys what it says.
There is none where nothing was cut over, or all that was is retired.
"""

import json
from pathlib import Path
from typing import Final, TypedDict

from andon.project import project

FILE: Final = project().root / "infra" / "serving.json"


class Switch(TypedDict):
    """The version that serves, and the one that served before it."""

    serves: str
    before: str


def switches(file: Path = FILE) -> dict[str, Switch]:
    """Return the switches, by the name of the view's first version."""
    if not file.is_file():
        return {}
    read: dict[str, Switch] = json.loads(file.read_text())
    return read


def write(changed: dict[str, Switch], file: Path = FILE) -> None:
    """Write the switches, for the next deployment; none: no file."""
    if not changed:
        file.unlink(missing_ok=True)
        return
    file.write_text(json.dumps(changed, indent=2, sort_keys=True) + "\n")


def serves(name: str, *, first: str) -> bool:
    """Return True if a version serves; `first` is the name of the view's first version."""
    switch = switches().get(first)
    return name == (switch["serves"] if switch else first)


def has_served(name: str, *, first: str) -> bool:
    """Return True if a version serves or served: it is filled, so that its rows may expire."""
    switch = switches().get(first)
    return name in ({switch["serves"], switch["before"]} if switch else {first})
