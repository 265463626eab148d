"""The pages: links lead somewhere, and the files and verbs that they name exist."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
PAGES = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
HISTORY = {"CHANGELOG.md", "decisions.md"}
"""What tells of the past may name what is gone."""

VERBS = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
MADE_BY_A_VERB = (  # `make new-view-version`
    "functions/views/board_v2",
    "tests/views/board_v2",
)

TODAY = [page for page in PAGES if page.name not in HISTORY]


def name(page: Path) -> str:
    return str(page.relative_to(PROJECT))


each = pytest.mark.parametrize("page", PAGES, ids=name)
each_of_today = pytest.mark.parametrize("page", TODAY, ids=name)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@each
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@each_of_today
def test_files_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"`((?:docs|events|functions|infra|local|tests)/[\w/.-]*?)/?`", page.read_text())
    roots = (PROJECT, PROJECT / "tests")  # the threat model names tests below the latter

    missing = [path for path in named if not any((root / path).exists() for root in roots)]
    assert [path for path in missing if not path.startswith(MADE_BY_A_VERB)] == []


@each_of_today
def test_verbs_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"(?:^|[`|;(] ?)make (?:-s )?([a-z][a-z-]+)", page.read_text(), re.MULTILINE)

    assert set(named) <= VERBS
