"""The course does what it says: from an empty folder to a replay, every block in order."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from andon.testing.installed import ended, python
from andon.tools.cli import VERBS
from tests.support.course import CHAPTERS, Course, blocks_of, changed

RECIPES = CHAPTERS[0].parents[1] / "recipes.md"
QUICK = "not test_permissions and not test_imports"
"""Laws that are tried with every new project; they synthesise it, and import each handler."""


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Course:
    return Course(tmp_path_factory.mktemp("course"), wheel)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_what_a_chapter_prints_is_what_it_says(course: Course, chapter: Path) -> None:
    programs = course.take(chapter)

    assert programs
    for printed, expected in programs:
        assert printed == expected


def test_files_and_verbs_that_a_chapter_names_are_in_the_project(course: Course) -> None:
    course.take(CHAPTERS[-1])
    verbs = set(re.findall(r"^([a-z-]+):", (course.root / "Makefile").read_text(), re.MULTILINE))

    for chapter in CHAPTERS:
        text = chapter.read_text()
        paths = re.findall(r"`((?:functions|tests|infra|events)/[\w./]*)`", text)
        assert [path for path in paths if not (course.root / path).exists()] == [], chapter.name
        assert set(re.findall(r"^make ([a-z-]+)", text, re.MULTILINE)) <= verbs, chapter.name
        assert set(re.findall(r"^andon ([a-z-]+)", text, re.MULTILINE)) <= VERBS.keys(), chapter.name


def test_after_the_course_its_tests_and_the_laws_are_green(course: Course, wheel: Path) -> None:
    course.take(CHAPTERS[-1])

    said = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", QUICK, imports=(wheel,), cwd=course.root)

    assert re.search(r"\d{3} passed", said.splitlines()[-1]), said


def test_the_prover_of_the_recipes_holds_in_the_project_of_the_course(course: Course, wheel: Path) -> None:
    course.take(CHAPTERS[-1])
    [prover] = [block for block in blocks_of(RECIPES) if "\nPARTS = " in block.text]
    (course.root / "lab").mkdir()
    (course.root / "lab" / "parcels.py").write_text(prover.text)

    imports = (course.root / "functions", wheel, course.root)
    said = python("-m", "andon.tools.cli", "prove", "parcels", "--seeds", "3", imports=imports, cwd=course.root)

    assert said.splitlines()[-2].endswith(" 0 broken"), said

    (course.root / "lab" / "parcels.py").rename(course.root / "lab" / "inventory.py")
    for name, why in (("inventory", "is a view, and a prover"), ("parcels", "is no view and no prover")):
        refused = ended("-m", "andon.tools.cli", "prove", name, imports=imports, cwd=course.root)
        assert (refused.returncode, why in refused.stderr) == (2, True), refused.stderr


def test_there_are_eight_chapters_and_each_leads_to_the_next() -> None:
    assert [int(chapter.stem[0]) for chapter in CHAPTERS] == list(range(1, 9))
    for chapter, following in pairwise(CHAPTERS):
        assert f"]({following.name})" in chapter.read_text().splitlines()[-1]


def test_every_program_of_the_course_says_what_it_prints() -> None:
    for chapter in CHAPTERS:
        blocks = blocks_of(chapter)
        programs = [number for number, block in enumerate(blocks) if block.language == "python" and not block.file]
        assert all(blocks[number + 1].language == "text" for number in programs), chapter.name


def test_a_change_that_does_not_fit_is_refused() -> None:
    assert changed("a\nb\nc\n", " a\n-b\n+d\n") == "a\nd\nc\n"
    for there in ("a\n", "b\nb\n"):
        with pytest.raises(ValueError, match="there are"):
            changed(there, "-b\n+d\n")
