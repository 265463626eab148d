"""Folders that are built once: each is named by what it is built from, the same on every machine."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).parents[1]


def build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return a folder, filled if it is missing; the other folders beside it are stale, and removed."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent.parent) as unfinished:
            content = Path(unfinished) / "content"
            fill(content)
            with contextlib.suppress(OSError):  # another synth built the same content first
                content.rename(folder)
        for stale in folder.parent.iterdir():
            if stale != folder:
                shutil.rmtree(stale, ignore_errors=True)
    return folder
