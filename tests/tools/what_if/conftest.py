"""A lake that the real loop made, a repository with the rules that made it, and what sooner silence would have been."""

from pathlib import Path

import pytest

from andon.testing.what_if import Repository, asked
from andon.tools.what_if.report import WhatIf
from tests.tools.what_if.asking import SOONER
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
    return Repository(tmp_path_factory.mktemp("project")).root


@pytest.fixture(scope="package")
def sooner(lake: Path, root: Path) -> WhatIf:
    return asked(lake, root, SET=SOONER)
