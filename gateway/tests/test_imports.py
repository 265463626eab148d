"""It runs at a plant: nothing of the project is imported, and the core nothing but the standard library."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

GATEWAY: Final = Path(__file__).parents[1]
OF_EXTRAS: Final = {"claim": {"cryptography"}, "mqtt": {"paho"}, "opcua": {"asyncua", "cryptography"}}
"""What modules whose names begin with an extra's import; asyncua needs cryptography itself."""


def imported(file: Path) -> set[str]:
    found = set[str]()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def extra_of(file: Path) -> str | None:
    return next((extra for extra in OF_EXTRAS if file.stem.startswith(extra)), None)


def test_the_core_needs_the_standard_library_alone_and_an_extra_its_packages() -> None:
    files = [*(GATEWAY / "andon_gateway").rglob("*.py")]
    project = tomllib.loads((GATEWAY / "pyproject.toml").read_text())["project"]

    allowed = {file: OF_EXTRAS.get(extra_of(file) or "", set()) for file in files}
    foreign = {
        file.name: imported(file) - sys.stdlib_module_names - {"andon_gateway"} - allowed[file] for file in files
    }

    assert len(files) > 10
    assert {name: modules for name, modules in foreign.items() if modules} == {}
    assert project["dependencies"] == []
    assert set(project["optional-dependencies"]) == set(OF_EXTRAS)


def test_the_core_runs_where_no_extra_is_installed() -> None:
    blocked = "import sys; sys.modules['asyncua'] = sys.modules['cryptography'] = sys.modules['paho'] = None"
    program = f"{blocked}; import andon_gateway.cli, andon_gateway.provisioning, andon_gateway.sources"

    subprocess.run([sys.executable, "-c", program], check=True, cwd=GATEWAY)  # noqa: S603
