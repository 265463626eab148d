"""The files that Lambda functions are packed from: the project's `functions/`, and the library without its tools."""

import os
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from andon.packages.package import SIDES, Package
from andon.project import library_folder, project

NOT_FOR_LAMBDA: Final = frozenset({"cdk", "tools", "testing"})
"""Rooms of the library that no function imports."""

_LEFT_BEHIND: Final = (".pyc", ".sql")  # no function asks the lake


class Source(tuple[Path, Path]):
    """Two folders: the library's code, and a project's functions."""

    __slots__ = ()

    def files(self) -> Iterator[tuple[Path, Path]]:
        """Yield each file that a function may get, with its place in the asset."""
        library, functions = self
        yield from _below(library, Path(library_folder().name), without=NOT_FOR_LAMBDA)
        yield from _below(functions, Path())

    def files_of(self, package: Package) -> Iterator[tuple[Path, Path]]:
        """Yield the files that a package's functions get: its own and shared ones."""
        return ((file, place) for file, place in self.files() if _belongs(place, package))


def source() -> Source:
    """Return the folders of this process."""
    return Source((library_folder(), project().functions))


def _below(folder: Path, place: Path, *, without: Container[str] = ()) -> Iterator[tuple[Path, Path]]:
    """Yield the files below a folder, by the parts of their paths, without what tools leave behind."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        name = entry.name
        if name.startswith(".") or name == "__pycache__" or name in without:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(folder / name, place / name)
        elif entry.is_file() and not name.endswith(_LEFT_BEHIND):
            yield folder / name, place / name


def _belongs(place: Path, package: Package) -> bool:
    parts = place.parts[1:] if place.parts[0] == library_folder().name else place.parts
    is_of_a_package = parts[0] in SIDES and len(parts) > len(("side", "__init__.py"))
    return not is_of_a_package or parts[:2] == (package.side, package.name)
