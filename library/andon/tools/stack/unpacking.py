"""Code and layers of Lambdas, unpacked once: the emulator unpacks them anew for each worker.

A layer has thousands of files, and Python compiles those that it imports. Workers that share a folder share what was
compiled, so that only the first of them is slow to start.
"""

import hashlib
import tempfile
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

FOLDER: Final = "unpacked"

_lock: Final = threading.Lock()


class SharedZip(zipfile.ZipFile):
    """A zip file whose content lies in one folder, named by its digest, and is linked to where it is unpacked."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self._file = Path(file)
        digest = hashlib.sha256(self._file.read_bytes()).hexdigest()
        self._content = Path(tempfile.gettempdir()) / FOLDER / digest

    def namelist(self) -> list[str]:
        """Return the names to be looked at before they are unpacked: none, once they are."""
        return [] if self._content.exists() else super().namelist()

    def extractall(self, path: Any = None, members: Any = None, pwd: bytes | None = None) -> None:  # noqa: ANN401
        """Put a link to the content in the place of an empty folder; the file, of which each worker has one, goes."""
        with _lock:
            if not self._content.exists():
                self._content.parent.mkdir(exist_ok=True)
                begun = tempfile.mkdtemp(dir=self._content.parent)
                super().extractall(begun, members, pwd)
                Path(begun).rename(self._content)
        Path(path).rmdir()
        Path(path).symlink_to(self._content, target_is_directory=True)
        self._file.unlink()


MODULE: Final = SimpleNamespace(**{**vars(zipfile), "ZipFile": SharedZip})
"""The module `zipfile`, with zip files that are unpacked once."""
