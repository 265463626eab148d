"""Code and layers of Lambdas, unpacked once: the emulator unpacks them anew for each worker.

A layer has thousands of files, and Python compiles those that it imports. Workers that share a folder share what was
compiled, so that only the first of them is slow to start. The code of most packages is the library: each folder lies
in a place that is named by what is in it, and is linked to from all that have it.

The emulator writes a copy of each zip file for each worker. Here it stays in memory: to write 18 MB of a layer, read
them and name them by what is in them took 22 ms of CPU for each of a hundred workers.
"""

import hashlib
import io
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
_folders: Final = dict[bytes, Path]()
"""A zip file -> where its content is. The emulator has few of them, which all workers get: each is hashed once."""

_written: Final = dict[str, bytes]()
"""The zip files that are to be unpacked next, by where they would be."""


class ZipInMemory:
    """A zip file that is written, of which nothing comes to the disk."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Do nothing: there is nothing to be closed."""

    def write(self, content: bytes) -> None:
        """Take the whole file."""
        _written[self._file] = content


def open_file(file: str, mode: str = "r", *rest: Any, **more: Any) -> Any:  # noqa: ANN401  as `open`
    """Open a file; a zip file that is to be written stays in memory."""
    if mode == "wb" and file.endswith(".zip"):
        return ZipInMemory(file)
    return Path(file).open(mode, *rest, **more)


class SharedZip:
    """A zip file whose content is linked to where it is unpacked. It is read only if nobody has unpacked it."""

    def __init__(self, file: str) -> None:
        self._content = _written.pop(file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Do nothing: there is no file."""

    def namelist(self) -> list[str]:
        """Return the names to be looked at before they are unpacked: none, for none leads out of the folder."""
        return []

    def extractall(self, path: Any) -> None:  # noqa: ANN401  as a path is given to `zipfile`
        """Put a link to the content in the place of an empty folder."""
        with _lock:
            if self._content not in _folders:
                _folders[self._content] = _unpacked(self._content)
        Path(path).rmdir()
        Path(path).symlink_to(_folders[self._content], target_is_directory=True)


def _unpacked(content: bytes) -> Path:
    place = Path(tempfile.gettempdir()) / FOLDER
    place.mkdir(exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        if not any(name.endswith(BINARY) for name in opened.namelist()):
            return _kept(opened, _tree_of(opened), place)
        folder = place / hashlib.sha256(content).hexdigest()
        opened.extractall(folder)
    return folder


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
