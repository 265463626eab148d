"""Folders that are built once: each is named by what it is built from, the same on every machine."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

STALE_S: Final = 60 * 60  # longer than any synth takes: what was not asked for since then, nobody reads


def build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return a folder, filled if it is missing.

    The folders beside it are removed once they are stale, and not before: another synth may be reading them, which
    was asked for something else (with bytecode, say). Of several that ask at once, one builds.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent.parent) as unfinished:
                content = Path(unfinished) / "content"
                fill(content)
                content.rename(folder)
        os.utime(folder)
        for other in folder.parent.iterdir():
            if other.is_dir() and time.time() - other.stat().st_mtime > STALE_S:
                shutil.rmtree(other, ignore_errors=True)
    return folder


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Hold a lock among the processes (and threads) of this machine; it ends with whoever holds it."""
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
