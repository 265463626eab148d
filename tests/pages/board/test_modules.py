import re
import subprocess
from pathlib import Path

import pytest

from contract.people import PERSON_PATTERN
from demo.board.fake_api import PAGE

HERE = Path(__file__).parent
INDEX = (PAGE / "index.html").read_text()
MODULES = sorted(PAGE.glob("*.js"))
FILES = sorted(PAGE.iterdir())


def imported_by(module: Path) -> set[str]:
    return set(re.findall(r'from "\./([\w-]+\.js)";', module.read_text()))


def reached_from(name: str) -> set[str]:
    reached, todo = set[str](), {name}
    while todo:
        reached |= todo
        todo = {found for module in todo for found in imported_by(PAGE / module)} - reached
    return reached


def test_the_tests_of_the_modules_pass() -> None:
    tests = sorted(map(str, HERE.glob("*.test.mjs")))

    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, check=False)  # noqa: S603, S607

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_is_used_and_asked_for_at_once() -> None:
    preloaded = re.findall(r'modulepreload" href="page/([\w-]+\.js)"', INDEX)

    assert sorted([*preloaded, "app.js"]) == [module.name for module in MODULES]
    assert reached_from("app.js") == {module.name for module in MODULES}


def test_the_page_knows_an_id_of_a_person_as_the_api_does() -> None:
    assert f"const ID = /{PERSON_PATTERN}/;\n" in (PAGE / "people.js").read_text()


def test_every_style_is_used() -> None:
    assert set(re.findall(r'stylesheet" href="page/([\w-]+\.css)"', INDEX)) == {f.name for f in PAGE.glob("*.css")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_in_the_page_reads_markup_or_comes_from_elsewhere(file: Path) -> None:
    text = file.read_text()

    assert not re.search(r"innerHTML\s*=|insertAdjacentHTML|outerHTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r'style="|onclick="|javascript:', text)
    assert not re.search(r"""(src|href|url)[=(]["']?https?:""", text)
