"""A release: built twice, from another place and another day, it is the same bytes; it lists its parts."""

import json
import os
import re
import shutil
import time
import tomllib
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from andon.project import library_folder
from andon.tools.new.template import PROJECT
from andon.tools.release import CHECKSUMS, build, checksums, list_components

SOURCES = library_folder().parent
AT_S = 1_790_000_000


def copied(clone: Path) -> Path:
    """Copy the sources, beside one page; return their folder."""
    sources = clone / "library"
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns("__pycache__", "tests"))  # in no release are tests
    (clone / "docs").mkdir()
    (clone / "docs" / "page.md").write_text("# A page\n")
    return sources


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources in another place, of another day, in other modes."""
    sources = copied(tmp_path_factory.mktemp("another clone"))
    for file in sources.rglob("*.py"):
        os.utime(file, (1_000_000_000, 1_000_000_000))
        file.chmod(0o600)
    return sources


def test_two_builds_of_the_same_sources_are_the_same_bytes(moved: Path, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"

    built = build(here, at_s=AT_S, sources=copied(tmp_path / "clone")), build(there, at_s=AT_S, sources=moved)

    assert [file.suffix for file in built[0]] == [".whl", ".gz"]
    assert checksums(here) == checksums(there)
    assert {one.date_time for one in ZipFile(built[0][0]).infolist()} == {time.gmtime(AT_S)[:6]}
    with ZipFile(built[0][0]) as wheel:  # made of the sdist, which lies beside no docs/
        assert {"andon/py.typed", "andon/tools/pages/page.md"} <= {*wheel.namelist()}


def test_the_bill_of_materials_has_each_pinned_package_with_its_version_and_hashes(tmp_path: Path) -> None:
    requirements = PROJECT / "requirements" / "runtime.txt"
    pinned = set(re.findall(r"^([\w.-]+)==([\w.]+)", requirements.read_text(), re.MULTILINE))

    list_components(requirements, tmp_path / "sbom.json")

    bill = json.loads((tmp_path / "sbom.json").read_text())
    assert pinned
    assert bill.keys().isdisjoint({"serialNumber"})  # which another run would have otherwise
    assert bill["metadata"].keys().isdisjoint({"timestamp"})
    assert {(one["name"], one["version"]) for one in bill["components"]} == pinned
    assert all(one["externalReferences"][0]["hashes"] for one in bill["components"])
    version = tomllib.loads((SOURCES / "pyproject.toml").read_text())["project"]["version"]
    assert (bill["metadata"]["component"]["name"], bill["metadata"]["component"]["version"]) == ("andon", version)


def test_checksums_are_of_every_file_but_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"wheel")
    (tmp_path / CHECKSUMS).write_text("of before")

    assert checksums(tmp_path) == f"{sha256(b'wheel').hexdigest()}  a.whl\n"
