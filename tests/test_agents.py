"""AGENTS.md and llms.txt name all packages and pages; that they are current is a law of each project."""

from andon.packages.discovery import packages
from andon.project import project
from andon.tools.in_process.agents import agents, llms


def test_it_names_each_package_and_each_page_of_the_index() -> None:
    own = [package for package in packages() if package.side != "stores"]
    index = (project().root / "docs" / "README.md").read_text()

    assert [package.folder for package in own if f"`{package.folder}`" not in agents()] == []
    assert [package.folder for package in own if f"(functions/{package.folder}/)" not in llms()] == []
    assert agents().count("](docs/") == llms().count("](docs/") == index.count(".md) |") > 20
