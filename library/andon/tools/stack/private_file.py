"""Files that only their owner may read."""

import os
from pathlib import Path
from typing import Final

OWNER_ONLY: Final = 0o600


def write(path: Path, text: str) -> None:
    """Write `path` at once or not at all; nobody else can read it at any time."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with open(unfinished, "w", encoding="utf-8", opener=_owner_only) as file:
        file.write(text)
    unfinished.replace(path)


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_ONLY)
