import re
import subprocess
from pathlib import Path

import pytest

from contract.people import PERSON_PATTERN
from demo.board.fake_api import PAGE
from pages.board.headers import WORKER_POLICY
from services.dispatch.rules.at_risk import REPEATED, WORSE

HERE = Path(__file__).parent
INDEX = (PAGE / "index.html").read_text()
MODULES = sorted(PAGE.glob("*.js"))
FILES = sorted(PAGE.iterdir())


AT_ONCE = r'from "\./([\w-]+\.js)";'
LATER = r'=> import\("\./([\w-]+\.js)"\)'
WORKER = "sw.js"
TEXTS = {file.name for file in PAGE.glob("text-*.js")}


def imported_by(module: str, how: str) -> set[str]:
    return set(re.findall(how, (PAGE / module).read_text()))


def reached_from(names: set[str]) -> set[str]:
    reached, todo = set[str](), names
    while todo:
        reached |= todo
        todo = {found for module in todo for found in imported_by(module, AT_ONCE)} - reached
    return reached


def test_the_tests_of_the_modules_pass() -> None:
    tests = sorted(map(str, HERE.glob("*.test.mjs")))

    done = subprocess.run(["node", "--test", *tests], capture_output=True, text=True, check=False)  # noqa: S603, S607

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_is_asked_for_at_once_but_those_of_views_that_few_open() -> None:
    preloaded = re.findall(r'modulepreload" href="page/([\w-]+\.js)"', INDEX)
    first = reached_from({"app.js"})
    later = {name for module in first for name in imported_by(module, LATER)}

    assert sorted([*preloaded, "app.js"]) == sorted(first)
    assert reached_from(first | later) | {WORKER} | TEXTS == {module.name for module in MODULES}
    assert later.isdisjoint(first)


def test_the_texts_of_one_language_come_beside_the_page() -> None:
    scripts = re.findall(r'<script type="module"( async)? src="page/([\w-]+\.js)">', INDEX)

    assert scripts == [(" async", "language.js"), ("", "app.js")]
    assert "await import(`./text-${language}.js`)" in (PAGE / "language.js").read_text()
    assert imported_by("language.js", AT_ONCE) == {"texts.js"}
    assert imported_by("texts.js", AT_ONCE) == set()
    assert not any(imported_by(name, AT_ONCE) for name in TEXTS)


def test_the_page_knows_the_reasons_of_a_rule_as_the_rule_does() -> None:
    words = (PAGE / "words.js").read_text()
    pattern = re.sub(r"\d+", lambda _: r"(\d+)", REPEATED)

    assert f"const REPEATED = /^{pattern}$/;\n" in words
    assert f'const WORSE = "{WORSE}";\n' in words


def test_nothing_but_the_worker_of_the_page_becomes_a_script() -> None:
    text = {module.name: module.read_text() for module in MODULES}

    assert [name for name, found in text.items() if "createPolicy" in found or ".register(" in found] == ["push.js"]
    assert f'const WORKER = "/page/{WORKER}";\n' in text["push.js"]
    assert f'createPolicy("{WORKER_POLICY}"' in text["push.js"]


def test_the_page_knows_an_id_of_a_person_as_the_api_does() -> None:
    assert f"const ID = /{PERSON_PATTERN}/;\n" in (PAGE / "people.js").read_text()


def test_every_style_is_used_once() -> None:
    first = re.findall(r'stylesheet" href="page/([\w-]+\.css)"', INDEX)
    later = re.findall(r'style: "([\w-]+\.css)"', (PAGE / "app.js").read_text())

    assert sorted([*first, *later]) == sorted(f.name for f in PAGE.glob("*.css"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_in_the_page_reads_markup_or_comes_from_elsewhere(file: Path) -> None:
    text = file.read_text()

    assert not re.search(r"innerHTML\s*=|insertAdjacentHTML|outerHTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r'style="|onclick="|javascript:', text)
    assert not re.search(r"""(src|href|url)[=(]["']?https?:""", text)
