"""A lake that the real loop made, a repository with the rules that made it, and what sooner silence would have been."""

import shutil
from pathlib import Path

import pytest

from andon.project import project
from andon.tools.what_if.report import WhatIf
from tests.tools.what_if.asking import SOONER, git, replayed
from tests.tools.what_if.lived import in_objects, lived_lines


@pytest.fixture(scope="package")
def lines() -> list[str]:
    return lived_lines()


@pytest.fixture(scope="package")
def lake(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return in_objects(lines, tmp_path_factory.mktemp("lake"))


@pytest.fixture(scope="package")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the packages of the sample, and one commit."""
    folder = tmp_path_factory.mktemp("project")
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(project().root / "functions", folder / "functions", ignore=without)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message=m")
    return folder


@pytest.fixture(scope="package")
def sooner(lake: Path, root: Path) -> WhatIf:
    return replayed(lake, root, SET=SOONER)
