"""The files that Lambda functions are packed from: the project's `functions/`, and the library without its tools."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from andon.packages.package import SIDES, Package
from andon.project import library_folder, project

NOT_FOR_LAMBDA: Final = frozenset({"cdk", "tools", "testing"})
"""Rooms of the library that no function imports."""

_LEFT_BEHIND: Final = (".pyc", ".sql", ".md")  # no function asks the lake, or reads a page


class Source(tuple[Path, Path]):
    """Two folders: the library's code, and a project's functions."""

    __slots__ = ()

    def files(self) -> Iterator[tuple[Path, Path]]:
        """Yield each file that a function may get, with its place in the asset."""
        return self._files(lambda _: True)

    def files_of(self, package: Package) -> Iterator[tuple[Path, Path]]:
        """Yield the files that a package's functions get: its own and shared ones."""
        return self._files(lambda place: _belongs(place, package))

    def _files(self, is_wanted: Callable[[str], bool]) -> Iterator[tuple[Path, Path]]:
        library, functions = self
        rooms = {f"{library_folder().name}/{room}" for room in NOT_FOR_LAMBDA}
        for folder, place in ((library, f"{library_folder().name}/"), (functions, "")):
            for file, found in _below(str(folder), place, lambda one: one not in rooms and is_wanted(one)):
                yield Path(file), Path(found)


def source() -> Source:
    """Return the folders of this process."""
    return Source((library_folder(), project().functions))


def _below(folder: str, place: str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Yield the files below a folder, by the parts of their paths; leftovers of tools are skipped.

    place: of the folder in the asset, with a slash behind it, or empty. is_wanted: told the place of a folder below;
    one that is not wanted is not read.
    """
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        name = entry.name
        if name.startswith(".") or name == "__pycache__":
            continue
        if entry.is_dir(follow_symlinks=False):
            if is_wanted(place + name):
                yield from _below(entry.path, f"{place}{name}/", is_wanted)
        elif entry.is_file() and not name.endswith(_LEFT_BEHIND):
            yield entry.path, place + name


def _belongs(folder: str, package: Package) -> bool:
    """Return True if a folder of the asset is no package's, or this one's."""
    side, _, name = folder.removeprefix(f"{library_folder().name}/").partition("/")
    is_of_a_package = side in SIDES and name and "/" not in name
    return not is_of_a_package or (side, name) == (package.side, package.name)
