import shutil
from pathlib import Path

import pytest
from aws_cdk import App, Stack

from infra.asset import code_of
from patterns.packages.package import FUNCTIONS, Package
from tests.support.infra.synthesised import PACKAGES


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FUNCTIONS, tmp_path / "functions"))


def assets(functions: Path) -> dict[str, Path]:
    """The packed folder of each package; its name carries the hash of what is in it."""
    app = App()
    packed: dict[str, Path] = {}
    for package in PACKAGES:
        stack = Stack(app, package.name.replace("_", "-"))
        located = code_of(package, functions).bind(stack).s3_location
        assert located is not None
        packed[package.name] = Path(app.outdir) / f"asset.{located.object_key.removesuffix('.zip')}"
    return packed


def changed(functions: Path, file: str) -> set[str]:
    """The packages whose asset changes with a file."""
    before = assets(functions)
    with (functions / file).open("a") as appended:
        appended.write("\n# touched\n")
    after = assets(functions)
    return {name for name in before if before[name].name != after[name].name}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_touching_a_package_changes_its_asset_only(functions: Path, package: Package) -> None:
    assert changed(functions, f"{package.side}/{package.name}/routes.py") == {package.name}


@pytest.mark.parametrize("file", ["patterns/dynamodb/schema.py", "contract/groups.py"])
def test_touching_what_is_shared_changes_every_asset(functions: Path, file: str) -> None:
    assert changed(functions, file) == {package.name for package in PACKAGES}


@pytest.mark.parametrize("litter", ["services/equipment/__pycache__/command.cpython-313.pyc", "patterns/.DS_Store"])
def test_what_tools_leave_behind_changes_no_asset(functions: Path, litter: str) -> None:
    (functions / litter).parent.mkdir(exist_ok=True)

    assert changed(functions, litter) == set()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_an_asset_holds_its_package_and_what_is_shared_and_no_other_package(functions: Path, package: Package) -> None:
    packed = assets(functions)[package.name]

    held = {path.relative_to(packed) for path in packed.rglob("*.py")}
    sides = {path.relative_to(functions) for path in functions.glob("*/__init__.py")}
    shared = {
        path.relative_to(functions) for side in ("contract", "patterns") for path in (functions / side).rglob("*.py")
    }
    own = {path.relative_to(functions) for path in (functions / package.side / package.name).rglob("*.py")}
    assert held == sides | shared | own
