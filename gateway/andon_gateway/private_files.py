"""Files that only their owner may read, on the disk before anything else happens."""

import os
from pathlib import Path
from typing import Final

OWNER_ONLY: Final = 0o600


def write(path: Path, text: str) -> None:
    """Write a file at once or not at all; nobody else can read it at any time."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with open(unfinished, "w", encoding="utf-8", opener=_owner_only) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    _sync(path.parent)


def remove(path: Path) -> None:
    """Remove a file."""
    path.unlink(missing_ok=True)
    _sync(path.parent)


def _owner_only(path: str, flags: int) -> int:
    number = os.open(path, flags, OWNER_ONLY)
    os.fchmod(number, OWNER_ONLY)  # one that was left there may have had other rights
    return number


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
