"""Code and layers of Lambdas, unpacked once: the emulator unpacks them anew for each worker.

A layer has thousands of files, and Python compiles those that it imports. Workers that share a folder share what was
compiled, so that only the first of them is slow to start. The code of most packages is the library: each folder lies
in a place that is named by what is in it, and is linked to from all that have it.
"""

import hashlib
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import Any, Final, Self

FOLDER: Final = "unpacked"
BINARY: Final = (".so", ".dylib")  # it looks for others at a path from its own, which no link may change

Tree = dict[str, "Tree | zipfile.ZipInfo"]
"""A folder in a zip file: name -> a folder, or a file."""

_lock: Final = threading.Lock()
_folders: Final = dict[str, Path]()
"""Digest of a zip file -> where its content is."""


class SharedZip:
    """A zip file whose content is linked to where it is unpacked. It is opened only if nobody has unpacked it."""

    def __init__(self, file: str) -> None:
        self._file = Path(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Do nothing: the file was closed as soon as it had been unpacked."""

    def namelist(self) -> list[str]:
        """Return the names to be looked at before they are unpacked: none, for none leads out of the folder."""
        return []

    def extractall(self, path: Any) -> None:  # noqa: ANN401  as a path is given to `zipfile`
        """Put a link to the content in the place of an empty folder; the file, of which each worker has one, goes."""
        digest = hashlib.sha256(self._file.read_bytes()).hexdigest()
        with _lock:
            if digest not in _folders:
                _folders[digest] = _unpacked(self._file, digest)
        Path(path).rmdir()
        Path(path).symlink_to(_folders[digest], target_is_directory=True)
        self._file.unlink()


def _unpacked(file: Path, digest: str) -> Path:
    place = Path(tempfile.gettempdir()) / FOLDER
    place.mkdir(exist_ok=True)
    with zipfile.ZipFile(file) as opened:
        if not any(name.endswith(BINARY) for name in opened.namelist()):
            return _kept(opened, _tree_of(opened), place)
        opened.extractall(place / digest)
    return place / digest


def _tree_of(opened: zipfile.ZipFile) -> Tree:
    root = Tree()
    for info in opened.infolist():
        *folders, name = (part for part in info.filename.split("/") if part not in {"", ".", ".."})
        folder = root
        for one in [*folders, name] if info.is_dir() else folders:
            below = folder.setdefault(one, {})
            if isinstance(below, zipfile.ZipInfo):
                raise zipfile.BadZipFile(f"{one} is a file and a folder")
            folder = below
        if not info.is_dir():
            folder[name] = info
    return root


def _kept(opened: zipfile.ZipFile, tree: Tree, place: Path) -> Path:
    """Return the folder in `place` with the content of `tree`, which is made if it is missing."""
    content = {
        name: opened.read(one) if isinstance(one, zipfile.ZipInfo) else _kept(opened, one, place)
        for name, one in sorted(tree.items())
    }
    lines = (
        f"{name!r}/ {one.name}" if isinstance(one, Path) else f"{name!r} {hashlib.sha256(one).hexdigest()}"
        for name, one in content.items()
    )
    folder = place / hashlib.sha256("\n".join(lines).encode()).hexdigest()
    if not folder.exists():
        begun = Path(tempfile.mkdtemp(dir=place))
        for name, one in content.items():
            if isinstance(one, Path):
                (begun / name).symlink_to(one, target_is_directory=True)
            else:
                (begun / name).write_bytes(one)
        begun.rename(folder)
    return folder


MODULE: Final = SimpleNamespace(**{**vars(zipfile), "ZipFile": SharedZip})
"""The module `zipfile`, with zip files that are unpacked once."""
