"""Views that objects cannot keep, refused in a project of another domain by what to write instead."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from andon.project import library_folder

FOREIGN: Final = Path(__file__).parents[1] / "foreign" / "functions"
REFUSE: Final = """
from andon.cdk.checks.declared import refuse_unkept
from andon.packages.package import Package
try:
    refuse_unkept(Package("views", "shelves"))
except ValueError as refused:
    print(refused)
"""
REFUSED: Final = [
    ("TTL_DAYS = 90", "rows in objects need TTL_DAYS in view.py", "TTL_DAYS = None"),
    ("TTL_DAYS = 90", "a view in objects is in one version", 'TTL_DAYS, REPLACES = 90, "borrowed"'),
    ("TTL_DAYS = 90", "", "TTL_DAYS = 91"),
]


def refused(functions: Path) -> str:
    imports = os.pathsep.join(map(str, (functions, library_folder().parent)))
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", REFUSE], env={"PYTHONPATH": imports}, check=True, capture_output=True, text=True
    )
    return run.stdout.strip()


@pytest.mark.parametrize(("before", "why", "after"), REFUSED)
def test_a_view_that_objects_cannot_keep_is_refused_by_name(tmp_path: Path, before: str, why: str, after: str) -> None:
    view = shutil.copytree(FOREIGN, tmp_path / "functions") / "views" / "shelves" / "view.py"
    assert before in view.read_text()
    view.write_text(view.read_text().replace(before, after))

    said = refused(tmp_path / "functions")
    assert said.startswith(f"view shelves: {why}") if why else not said


def test_a_view_that_is_pushed_is_refused_for_a_bucket_has_no_stream(tmp_path: Path) -> None:
    views = shutil.copytree(FOREIGN, tmp_path / "functions") / "views"
    (views / "shelves" / "changes.py").write_text("")

    assert refused(tmp_path / "functions").startswith("view shelves: a bucket has no stream")
