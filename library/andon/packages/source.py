"""The files that Lambda functions are packed from: the project's `functions/`, and the library without its tools."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from andon.packages.package import SIDES, Package
from andon.project import library_folder, project

NOT_FOR_LAMBDA: Final = frozenset({"cdk", "tools", "testing"})
"""Rooms of the library that no function imports."""

_LEFT_BEHIND: Final = frozenset({".pyc", ".sql"})  # no function asks the lake


class Source(tuple[Path, Path]):
    """Two folders: the library's code, and a project's functions."""

    __slots__ = ()

    def files(self) -> Iterator[tuple[Path, Path]]:
        """Yield each file that a function may get, with its place in the asset."""
        library, functions = self
        for file in _below(library):
            if file.relative_to(library).parts[0] not in NOT_FOR_LAMBDA:
                yield file, Path(library_folder().name, file.relative_to(library))
        for file in _below(functions):
            yield file, file.relative_to(functions)

    def files_of(self, package: Package) -> Iterator[tuple[Path, Path]]:
        """Yield the files that a package's functions get: its own and shared ones."""
        return ((file, place) for file, place in self.files() if _belongs(place, package))


def source() -> Source:
    """Return the folders of this process."""
    return Source((library_folder(), project().functions))


def _below(folder: Path) -> list[Path]:
    return [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.suffix not in _LEFT_BEHIND and not _is_of_a_tool(file.relative_to(folder))
    ]


def _is_of_a_tool(file: Path) -> bool:
    return any(part == "__pycache__" or part.startswith(".") for part in file.parts)


def _belongs(place: Path, package: Package) -> bool:
    parts = place.parts[1:] if place.parts[0] == library_folder().name else place.parts
    is_of_a_package = parts[0] in SIDES and len(parts) > len(("side", "__init__.py"))
    return not is_of_a_package or parts[:2] == (package.side, package.name)
