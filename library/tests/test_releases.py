"""Projects that releases before made run with the library of today, on the rows that those wrote."""

import re
import shutil
import tarfile
from pathlib import Path

import pytest

from andon.testing.installed import python

RELEASES = Path(__file__).parent / "releases"
FROZEN = sorted(RELEASES.glob("*.tar.gz"))

SLOW = "not test_no_handler_loads and not test_what_no_caller_waits"
"""Laws about how a cold start costs little, which import each handler: they are tried with every new project."""


@pytest.fixture(scope="module", params=FROZEN, ids=lambda file: file.name)
def before(request: pytest.FixtureRequest, wheel_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as a release made it, with the wheel of today in place of that release's."""
    folder = tmp_path_factory.mktemp("before")
    with tarfile.open(request.param) as archive:
        archive.extractall(folder, filter="data")
    for file in (folder / "requirements").iterdir():
        for needed in re.findall(r"^\./(vendor/\S+)", file.read_text(), re.MULTILINE):
            (folder / needed).parent.mkdir(exist_ok=True)
            shutil.copyfile(wheel_file, folder / needed)
    return folder


def test_a_project_of_a_release_before_passes_its_tests_and_the_laws_of_today(before: Path, wheel: Path) -> None:
    warned = ("-W", "default::DeprecationWarning")  # they are what it is told before a name goes
    said = python("-m", "pytest", "-q", "-p", "no:cacheprovider", *warned, "-k", SLOW, imports=(wheel,), cwd=before)

    assert re.search(r"\d{3} passed", said.splitlines()[-1]), said


def test_rows_that_a_release_before_wrote_are_read_decided_upon_and_changed(before: Path, wheel: Path) -> None:
    imports = (wheel, before / "functions")
    said = python(str(RELEASES / "kept.py"), "read", "kept.json", imports=imports, cwd=before)

    assert said.splitlines()[-1] == "{}"


def test_there_is_a_project_of_a_release() -> None:
    assert FROZEN
