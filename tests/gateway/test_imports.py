"""It runs at a plant: nothing of the project is imported, and the core nothing but the standard library."""

import ast
import sys
import tomllib
from pathlib import Path
from typing import Final

from andon.project import project

GATEWAY: Final = project().root / "gateway"


def imported(file: Path) -> set[str]:
    found = set[str]()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def test_the_core_needs_the_standard_library_alone() -> None:
    files = [*(GATEWAY / "andon_gateway").rglob("*.py")]

    foreign = {file.name: imported(file) - sys.stdlib_module_names - {"andon_gateway"} for file in files}

    assert len(files) > 10
    assert {name: modules for name, modules in foreign.items() if modules} == {}
    assert tomllib.loads((GATEWAY / "pyproject.toml").read_text())["project"]["dependencies"] == []
