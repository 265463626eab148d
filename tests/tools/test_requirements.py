import json
import re
import tomllib
from pathlib import Path

import pytest

from andon.project import library_folder
from andon.tools.new.template import PROJECT

REQUIREMENTS = Path(__file__).parents[2] / "requirements"
PIN = re.compile(r"[\w.-]+==[\w.]+( ; .+)?")


@pytest.mark.parametrize("name", ["dev", "emulator", "powertools", "runtime"])
def test_every_package_is_pinned_by_hash_and_no_file_names_a_registry(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text()

    pinned = re.sub(r" *#.*", "", text).replace(" \\\n", "").strip()
    packages = [re.split(r" +--hash=", line.strip()) for line in pinned.splitlines() if line.strip()]

    assert all(PIN.fullmatch(package) for package, *_ in packages)
    assert all(hashes and all(one.startswith("sha256:") for one in hashes) for _, *hashes in packages)
    assert "://" not in text
    assert not re.search(r"^--?(i|index-url|extra-index-url|find-links|trusted-host)\b", text, re.MULTILINE)


@pytest.mark.parametrize("name", ["dev", "emulator", "runtime"])
def test_compiled_packages_have_files_for_more_than_this_machine(name: str) -> None:
    # One hash per file of a version: wheels for other processors and versions of Python are among them.
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    compiled = [package for package in ("pydantic-core", "cryptography", "cffi") if f"\n{package}==" in text]

    assert compiled
    for package in compiled:
        (pin,) = re.findall(rf"^{package}==.*(?:\n +--hash=.*)+", text, re.MULTILINE)
        assert pin.count("--hash=") > 20


def test_a_project_begins_with_the_pins_that_this_repository_runs_with() -> None:
    tools = library_folder() / "tools" / "pins"
    pinned = {name: (tools / f"{name}.txt").read_text() for name in ("emulator", "uv", "dev")}
    pinned["runtime"] = (PROJECT / "requirements" / "runtime.txt").read_text()

    for name in ("emulator", "uv"):
        assert pinned[name] == (REQUIREMENTS / f"{name}.txt").read_text()
    for name in ("runtime", "dev"):  # this repository's own functions and tests may need more
        own = re.sub(r"\n +# via.*(\n +#.*)*", "", (REQUIREMENTS / f"{name}.txt").read_text())
        pins = re.findall(r"^[^#\s].*(?:\n +--hash=.*)+", pinned[name], re.MULTILINE)
        assert pins
        assert [pin for pin in pins if f"{pin}\n" not in f"{own}\n"] == []
    assert "://" not in "".join(pinned.values())
    its, ours = (json.loads((root / "package.json").read_text()) for root in (PROJECT, REQUIREMENTS.parent))
    assert its["devDependencies"].items() <= ours["devDependencies"].items()


def test_the_version_stands_in_one_place() -> None:
    root = tomllib.loads((REQUIREMENTS.parent / "pyproject.toml").read_text())["project"]

    assert "version" not in root
    assert "version" in root["dynamic"]
