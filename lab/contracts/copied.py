"""A copy of the tree, to be changed."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

WANTED: Final = (
    "functions",
    "library/andon",
    "events",
    "tests",
    "demo",
    "lab",
    "contracts",
    "docs",
    "Makefile",
    "infra",
)


def copy_to(tree: Path, root: Path) -> None:
    """Copy what git knows, or would, of the folders that contracts are derived from."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *WANTED]
    names = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    for name in names:
        if (root / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tree / name)
