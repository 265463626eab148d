import shutil
from pathlib import Path

import pytest
from aws_cdk import App, Stack

from infra.package import FUNCTIONS, Package, Side

EQUIPMENT: tuple[Side, str] = ("services", "equipment")
DISPATCH: tuple[Side, str] = ("services", "dispatch")
STATE_LOG: tuple[Side, str] = ("views", "state_log")
PACKAGES = (EQUIPMENT, DISPATCH, STATE_LOG)


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FUNCTIONS, tmp_path / "functions"))


def assets(functions: Path) -> dict[tuple[str, str], Path]:
    """The packed folder of each package; its name carries the hash of what is in it."""
    app = App()
    packed: dict[tuple[str, str], Path] = {}
    for side, name in PACKAGES:
        stack = Stack(app, name.replace("_", "-"))
        located = Package(side, name, root=functions).code().bind(stack).s3_location
        assert located is not None
        packed[side, name] = Path(app.outdir) / f"asset.{located.object_key.removesuffix('.zip')}"
    return packed


def changed(functions: Path, file: str) -> set[tuple[str, str]]:
    """The packages whose asset changes with a file."""
    before = assets(functions)
    with (functions / file).open("a") as appended:
        appended.write("\n# touched\n")
    after = assets(functions)
    return {package for package in PACKAGES if before[package].name != after[package].name}


@pytest.mark.parametrize(
    ("file", "package"),
    [
        ("views/state_log/view.py", STATE_LOG),
        ("services/equipment/command.py", EQUIPMENT),
        ("services/dispatch/trigger.py", DISPATCH),
    ],
)
def test_touching_a_package_changes_its_asset_only(functions: Path, file: str, package: tuple[str, str]) -> None:
    assert changed(functions, file) == {package}


@pytest.mark.parametrize("file", ["patterns/schema.py", "contract/groups.py"])
def test_touching_what_is_shared_changes_every_asset(functions: Path, file: str) -> None:
    assert changed(functions, file) == set(PACKAGES)


@pytest.mark.parametrize("litter", ["services/equipment/__pycache__/command.cpython-313.pyc", "patterns/.DS_Store"])
def test_what_tools_leave_behind_changes_no_asset(functions: Path, litter: str) -> None:
    (functions / litter).parent.mkdir(exist_ok=True)
    (functions / litter).write_text("litter")

    assert changed(functions, litter) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_an_asset_holds_its_package_and_what_is_shared_and_no_other_package(
    functions: Path, package: tuple[str, str]
) -> None:
    packed = assets(functions)[package]

    side, name = package
    assert {path.name for path in packed.iterdir()} == {"contract", "patterns", "services", "views"}
    assert (packed / side / name / "routes.py").is_file()
    assert {
        (path.parent.name, path.name)
        for side in ("services", "views")
        for path in (packed / side).iterdir()
        if path.is_dir()
    } == {package}
    assert (packed / "services" / "__init__.py").is_file()
    assert (packed / "views" / "__init__.py").is_file()
