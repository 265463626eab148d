import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from aws_cdk import App, Stack

from andon.cdk import assets as packing
from andon.cdk.assets import TASK, code_of, compile_all, hash_of
from andon.packages.discovery import NOT_FOR_LAMBDA, Source, source
from andon.packages.package import Package
from tests.support.infra.synthesised import PACKAGES

UNCHECKED = 0b01  # by the hash of the source, which nobody compares

Listed = dict[str, list[tuple[Path, Path]]]
"""Name of a package -> its files, each with its place in the asset."""


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A copy, for a test to change and to put back."""
    return copied(source(), tmp_path_factory.mktemp("functions"))


@pytest.fixture(scope="module")
def listed(functions: Source) -> Listed:
    """The files of each package in that copy."""
    return files_of_each(functions)


@pytest.fixture(scope="module")
def before(listed: Listed) -> dict[str, str]:
    """The hashes of its assets."""
    return hashes(listed)


def copied(folders: Source, to: Path) -> Source:
    ignored = shutil.ignore_patterns("__pycache__", *NOT_FOR_LAMBDA)
    return Source(Path(shutil.copytree(folder, to / folder.name, ignore=ignored)) for folder in folders)


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "ASSETS", tmp_path / "code")


def name_of(package: Package) -> str:
    """A view and a page may have the same name."""
    return f"{package.side}-{package.name}".replace("_", "-")


def folder_in_asset(package: Package) -> Path:
    return Path("andon" if package.side == "stores" else "", package.side, package.name)


def assets(functions: Source, compiler: Path | None = None, *, of: Sequence[Package] = PACKAGES) -> dict[str, Path]:
    """The packed folder of each package; its name carries the hash of what is in it."""
    app = App()
    packed: dict[str, Path] = {}
    for package in of:
        stack = Stack(app, name_of(package))
        located = code_of(package, compiler, functions).bind(stack).s3_location
        assert located is not None
        packed[name_of(package)] = Path(app.outdir) / f"asset.{located.object_key.removesuffix('.zip')}"
    return packed


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The assets of the sources as they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "ASSETS", tmp_path_factory.mktemp("untouched") / "code")
        return assets(source())


def files_of_each(functions: Source) -> Listed:
    return {name_of(package): [*functions.files_of(package)] for package in PACKAGES}


def hashes(listed: Listed) -> dict[str, str]:
    """The hash of each package's asset."""
    return {name: hash_of(files, is_compiled=False) for name, files in listed.items()}


Changed = Callable[[str], set[str]]


@pytest.fixture
def changed(functions: Source, listed: Listed, before: dict[str, str]) -> Changed:
    """Return a function that returns the packages whose asset changes with a file, while it is changed."""
    library, own = functions

    def changed(file: str) -> set[str]:
        path = (library.parent if file.startswith("andon/") else own).joinpath(file)
        path.parent.mkdir(exist_ok=True)
        content = path.read_bytes() if path.exists() else None
        path.write_bytes((content or b"") + b"\n# touched\n")
        after = hashes(files_of_each(functions) if content is None else listed)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        return {name for name in before if before[name] != after[name]}

    return changed


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_touching_a_package_changes_its_asset_only(changed: Changed, package: Package) -> None:
    assert changed((folder_in_asset(package) / "__init__.py").as_posix()) == {name_of(package)}


@pytest.mark.parametrize("file", ["andon/dynamodb/schema.py", "contract/groups.py"])
def test_touching_what_is_shared_changes_every_asset(changed: Changed, file: str) -> None:
    assert changed(file) == {name_of(package) for package in PACKAGES}


@pytest.mark.parametrize("litter", ["services/equipment/__pycache__/command.cpython-313.pyc", "andon/.DS_Store"])
def test_what_tools_leave_behind_changes_no_asset(changed: Changed, litter: str) -> None:
    assert changed(litter) == set()


@pytest.fixture(scope="module")
def places() -> set[str]:
    """The modules that functions may get."""
    return {place.as_posix() for _, place in source().files() if place.suffix == ".py"}


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_an_asset_holds_its_package_and_what_is_shared_and_no_other_package(
    untouched: dict[str, Path], places: set[str], package: Package
) -> None:
    packed = untouched[name_of(package)]

    held = {path.relative_to(packed).as_posix() for path in packed.rglob("*.py")}
    others = tuple(f"{folder_in_asset(other).as_posix()}/" for other in PACKAGES if other != package)
    assert held == {place for place in places if not place.startswith(others)}
    assert not [place for place in held if place.startswith(tuple(f"andon/{room}/" for room in NOT_FOR_LAMBDA))]


def test_bytecode_comes_beside_each_module_of_an_asset_wherever_and_whenever_it_is_packed(
    functions: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled here by the Python of the tests, as by that of Lambda for AWS."""
    [packed] = assets(functions, Path(sys.executable), of=PACKAGES[:1]).values()
    files = functions.files_of(PACKAGES[0])
    assert [folder.name for folder in packing.ASSETS.glob("*/*/")] == [hash_of(files, is_compiled=True)]
    elsewhere = copied(functions, tmp_path / "another" / "place")
    monkeypatch.setattr(packing, "ASSETS", tmp_path / "another" / "home")
    [second] = assets(elsewhere, Path(sys.executable), of=PACKAGES[:1]).values()

    contents = contents_of(packed)
    modules = {file for file in contents if file.suffix == ".py"}
    compiled = {Path(cache_from_source(file)) for file in modules}
    assert compiled == {file for file in contents if file.suffix == ".pyc"}
    assert contents == contents_of(second)
    assert second.name == packed.name
    assert all(flags_of(contents[file]) == UNCHECKED for file in compiled)


def test_the_bytecode_of_every_module_is_the_same_wherever_and_whenever_it_is_compiled(tmp_path: Path) -> None:
    made = []
    for place in ("here", "elsewhere"):
        for file, to in source().files():
            content = tmp_path / place / to
            content.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, content)
        compile_all(tmp_path / place, Path(sys.executable), loaded_from=TASK)
        made.append(contents_of(tmp_path / place))

    assert made[0] == made[1]
    modules = {place for _, place in source().files() if place.suffix == ".py"}
    assert {Path(cache_from_source(place)) for place in modules} == {one for one in made[0] if one.suffix == ".pyc"}


def test_an_asset_without_bytecode_is_never_taken_for_one_with_it(untouched: dict[str, Path]) -> None:
    [(name, compiled)] = assets(source(), Path(sys.executable), of=PACKAGES[:1]).items()

    assert untouched[name].name != compiled.name


def contents_of(folder: Path) -> dict[Path, bytes]:
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def flags_of(bytecode: bytes) -> int:
    """https://peps.python.org/pep-0552/#specification."""
    return int.from_bytes(bytecode[4:8], "little")
