"""The pages: links lead somewhere, and the files, names and verbs in them exist."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from andon.packages.source import source
from andon.testing.layers import LEVELS, reached, read_sources, rooms_imported
from andon.tools.docs_index import anchor_of, indexed
from tests.support.course import EXCERPT, blocks_of

PROJECT = Path(__file__).parents[1]
README = PROJECT / "README.md"
DECISIONS = PROJECT / "docs" / "decisions.md"
ARCHITECTURE = PROJECT / "docs" / "architecture.md"
PAGES = sorted(
    page
    for folder in (".", "docs", "docs/*", "functions/*/*", "library", "gateway")
    for page in PROJECT.glob(f"{folder}/*.md")
    if page.name != "CHANGELOG.md"  # tells of the past
)

COURSE = PROJECT / "docs" / "course"
GUARANTEES = PROJECT / "docs" / "guarantees.md"

ROOTS = ("", "functions", "library", "library/andon", "tests")
"""Folders that a page may name a path below of; the first is the project."""

PATH = re.compile(r"(?<!`)`([\w.-]+/[\w./-]*)`(?!`)")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MADE_BY_A_VERB = (".local/", "cdk.out/", "infra/serving.json", "functions/views/board_v2", "tests/views/board_v2")

VERBS = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))

ours = pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.parent != COURSE],  # it is about a project of its own, see test_course.py
    ids=lambda page: str(page.relative_to(PROJECT)),
)
each = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))


def prose_of(page: Path) -> str:
    """Return a page without its blocks of code."""
    return CODE.sub("", page.read_text())


def anchors_of(page: Path) -> set[str]:
    return {anchor_of(heading) for heading in re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)}


def paths_in(text: str) -> list[str]:
    """Return each path of the tree in backticks: its first part is a folder here."""
    folders = {folder.name for root in ROOTS for folder in (PROJECT / root).glob("*/")}
    return [path for path in PATH.findall(text) if path.split("/")[0] in folders]


def found(path: str) -> list[Path]:
    return [PROJECT / root / path for root in ROOTS if (PROJECT / root / path).exists()]


@each
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose_of(page)):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


@ours
def test_paths_that_a_page_names_exist(page: Path) -> None:
    missing = [path for path in paths_in(prose_of(page)) if not path.startswith(MADE_BY_A_VERB) and not found(path)]

    assert missing == []


@ours
def test_verbs_that_a_page_names_exist(page: Path) -> None:
    named = re.findall(r"(?:^|[`|;($] ?)make (?:-s )?([a-z][a-z-]+)", page.read_text(), re.MULTILINE)

    assert set(named) <= VERBS


@ours
def test_code_that_a_page_quotes_is_in_its_file(page: Path) -> None:
    for block in blocks_of(page):
        if block.file:
            assert block.file.endswith(EXCERPT), block.file
            assert block.text in (PROJECT / block.file.removesuffix(EXCERPT)).read_text(), block.file


@ours
def test_what_an_example_prints_is_what_the_page_says(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = blocks_of(page)
    for block, following in pairwise(blocks):
        if (block.language, block.file, following.language) == ("python", "", "text"):
            exec(compile(block.text, str(page), "exec"), {})  # noqa: S102  our own examples
            assert capsys.readouterr().out == following.text


def test_each_guarantee_names_a_test_that_exists() -> None:
    rows = re.findall(r"^\| (?!promise|---)(.*) \| `([^`]+)` \|$", GUARANTEES.read_text(), re.MULTILINE)

    assert len(rows) > 30
    assert len({test for _, test in rows}) == len(rows)
    for _, test in rows:
        file, name = test.split("::")
        assert re.search(rf"^def {name}\(", (PROJECT / file).read_text(), re.MULTILINE), test


def test_every_verb_is_explained() -> None:
    listed = set(re.findall(r"^([a-z-]+):[^\n]*##", (PROJECT / "Makefile").read_text(), re.MULTILINE))

    assert listed - {"help", "install", "types", "nag"} <= set(
        re.findall(r"`make ([a-z-]+)", (PROJECT / "docs" / "running.md").read_text())
    )


def test_the_index_has_every_page() -> None:
    index = PROJECT / "docs" / "README.md"
    pages = {page.name for page in (PROJECT / "docs").glob("*.md")} - {index.name}

    assert [page for page in pages if f"]({page})" not in index.read_text()] == []


def test_names_in_the_table_of_changes_are_in_their_files() -> None:
    [table] = re.findall(r"^## Where to change what.*?(?=^## |\Z)", ARCHITECTURE.read_text(), re.MULTILINE | re.DOTALL)

    for row in (line.split(" | ") for line in table.splitlines() if line.startswith("| ") and "`" in line):
        text = "".join(
            file.read_text() for path in paths_in(f"{row[1]} {row[2]}") for file in found(path) if file.is_file()
        )
        names = re.findall(r"`#?([A-Za-z_]+)[^`/]*`", row[2])
        assert not text or [name for name in names if name not in text] == [], row[0]


def test_the_librarys_readme_says_what_each_room_has() -> None:
    rooms = set(re.findall(r"^\| `(\w+)` \|", (PROJECT / "library" / "README.md").read_text(), re.MULTILINE))

    assert {*LEVELS} <= rooms


def test_the_drawing_of_the_rooms_is_what_they_import() -> None:
    [drawing] = re.findall(
        r"^## The rooms.*?^```mermaid\n(.*?)^```", ARCHITECTURE.read_text(), re.MULTILINE | re.DOTALL
    )
    arrows = set(re.findall(r"^    (\w+) --> (\w+)$", drawing, re.MULTILINE))

    drawn = {
        room: {there for here, there in arrows if here == room}
        for room in re.findall(r"^    (\w+)\[", drawing, re.MULTILINE)
    }
    imported = rooms_imported(read_sources(source().files()))
    assert {*LEVELS} <= drawn.keys()
    assert {arrow for arrow in arrows if arrow[0] in LEVELS} <= imported
    assert {(here, there) for here, there in imported if there not in reached(here, drawn)} == set()


@pytest.mark.parametrize("folder", ["functions/services", "functions/views", "functions/pages"])
def test_the_readme_names_each_package(folder: str) -> None:
    [row] = re.findall(rf"^\| `{folder}/` \|(.*)$", README.read_text(), re.MULTILINE)
    packages = {file.parent.name for file in PROJECT.glob(f"{folder}/*/*.py")}

    passing = re.compile(r".*_v[0-9]+")  # the next version of a view is there until the old one is retired
    assert {name for name in packages if f"`{name}`" not in row and not passing.fullmatch(name)} == set()


def test_decisions_are_indexed() -> None:
    text = DECISIONS.read_text()

    assert text == indexed(text), "PYTHONPATH=functions:library .venv/bin/python -m andon.tools.docs_index"


def test_each_decision_says_how_to_reverse_it() -> None:
    decisions = re.split(r"^### ", DECISIONS.read_text(), flags=re.MULTILINE)[1:]

    assert [one.splitlines()[0] for one in decisions if "*Reverse:*" not in one] == []
