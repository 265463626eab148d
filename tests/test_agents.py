"""AGENTS.md and llms.txt are what packages, docs and verbs make of them."""

from collections.abc import Callable

import pytest

from andon.packages.discovery import packages
from andon.project import project
from andon.tools.in_process.agents import AGENTS, LLMS, agents, llms


@pytest.mark.parametrize(("name", "written"), [(AGENTS, agents), (LLMS, llms)])
def test_what_programs_read_first_is_current(name: str, written: Callable[[], str]) -> None:
    assert (project().root / name).read_text() == written(), "make agents"


def test_it_names_each_package_and_each_page_of_the_index() -> None:
    own = [package for package in packages() if package.side != "stores"]
    index = (project().root / "docs" / "README.md").read_text()

    assert [package.folder for package in own if f"`{package.folder}`" not in agents()] == []
    assert [package.folder for package in own if f"(functions/{package.folder}/)" not in llms()] == []
    assert agents().count("](docs/") == llms().count("](docs/") == index.count(".md) |") > 20
