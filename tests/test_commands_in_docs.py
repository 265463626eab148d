"""The commands in the pages: a shell can read them, and verbs, variables, options, routes and settings exist."""

import json
import re
import subprocess
import textwrap
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from andon.project import library_folder, project
from andon.tools.cli import VERBS
from andon.tools.in_process import openapi

ROOT: Final = project().root
PAGES: Final = sorted(
    page
    for page in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "library").glob("*.md"),
        *(ROOT / "functions").glob("*/*/*.md"),
        ROOT / "gateway" / "README.md",
    )
    if page.name != "CHANGELOG.md"  # tells of the past
)
SHELL: Final = re.compile(r"^( *)```(?:sh|console)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
INLINE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PLACEHOLDER: Final = re.compile(r"<[a-zA-Z][^<>\n]*>")
VALUE: Final = r"""(?:"[^"]*"|'[^']*'|[^\s"']+)*"""
MAKE: Final = re.compile(rf"(?:^|[\s;($])make (?:-s )?([a-z][a-z-]*)((?: +[A-Z]\w*={VALUE})*)", re.MULTILINE)
ANDON: Final = re.compile(r"(?:^|[\s;($])andon ([a-z][a-z-]*)([^\n|;]*)", re.MULTILINE)
CALL: Final = re.compile(r"\bapi\b((?: -\S+(?: [A-Z]+)?)*) \"\$(API|E)(/[^\"?]*)?")
OF_MACHINE: Final = {"API": "", "E": "/equipment/x"}
"""What the pages call the API, and a machine of it."""

MAKEFILE: Final = (ROOT / "Makefile").read_text()
EVERYWHERE: Final = {"PYTHON3"}
NAMED: Final = re.compile(r"(?:\$\(|\$\$|\bvalue )([A-Z]\w*)")
HELP: Final = "--help"

each = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def blocks_of(page: Path) -> list[str]:
    """Return the blocks of commands of a page, without the space that a list has them behind."""
    return [textwrap.dedent(text) for _, text in SHELL.findall(page.read_text())]


def code_of(page: Path) -> str:
    """Return all code of a page, a piece a line."""
    return "\n".join([*blocks_of(page), *INLINE.findall(SHELL.sub("", page.read_text()))])


OF_PROJECT: Final = (library_folder() / "tools" / "templates" / "project" / "Makefile").read_text()
THE_FACTORYS: Final = {"docs", "figures"}
"""Verbs whose pages are about this repository alone."""


def test_verbs_that_pages_name_for_make_are_verbs_of_a_projects_makefile_too() -> None:
    named = {verb for page in PAGES for verb, _ in MAKE.findall(code_of(page))} & VERBS.keys()
    rules = re.findall(r"^([a-z][a-z -]*):(?!=)", OF_PROJECT, re.MULTILINE)
    targets = {verb for line in rules for verb in line.split()}

    assert named - targets - THE_FACTORYS == set()


@cache
def variables_of(verb: str) -> frozenset[str]:
    """Return the variables that a verb of Make reads: in its recipe, in those that it names, and in its program."""
    recipe = "\n".join(re.findall(rf"^{verb}:[^\n]*(?:\n\t[^\n]*)*", MAKEFILE, re.MULTILINE))
    found, waiting = set[str](), set(NAMED.findall(recipe))
    while waiting:
        found |= waiting
        defined = (re.search(rf"^{name} [:?]?= ?((?:.*\\\n)*.*)", MAKEFILE, re.MULTILINE) for name in waiting)
        waiting = {name for one in defined if one for name in NAMED.findall(one[1])} - found
    modules = [f"andon.tools.{VERBS[one].module}" for one in re.findall(r"\$\(ANDON\) ([a-z-]+)", recipe)]
    modules += re.findall(r"\$\(RUN\) ([\w.]+)", recipe)
    return frozenset(found | {name for module in modules for name in re.findall(r'"([A-Z]+)"', source_of(module))})


def source_of(module: str) -> str:
    """Return the source of a module, or of all of a package's."""
    [path] = [root / module.replace(".", "/") for root in (ROOT, library_folder().parent) if _is_there(root, module)]
    return "".join(file.read_text() for file in ([*path.rglob("*.py")] if path.is_dir() else [path.with_suffix(".py")]))


def _is_there(root: Path, module: str) -> bool:
    path = root / module.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


@each
def test_a_shell_can_read_the_commands_of_a_page(page: Path) -> None:
    blocks = [
        re.sub(r"^\$ .*\n(?:[^$].*\n)*", "", PLACEHOLDER.sub("x", block), flags=re.MULTILINE)
        for block in blocks_of(page)
    ]
    text = "\n".join(block for block in blocks if "…" not in block)

    read = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)  # noqa: S607

    assert read.stderr == ""


@each
def test_a_verb_of_make_has_the_variables_that_a_page_gives_it(page: Path) -> None:
    verbs = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))

    for verb, given in MAKE.findall(code_of(page)):
        if verb in verbs:
            named = set(re.findall(r"([A-Z]\w*)=", re.sub(r"\"[^\"]*\"|'[^']*'", "", given)))
            assert named <= variables_of(verb) | EVERYWHERE, f"make {verb}{given}"


@each
def test_a_verb_of_andon_has_the_options_that_a_page_gives_it(page: Path) -> None:
    for verb, rest in ANDON.findall(code_of(page)):
        assert verb in VERBS, f"andon {verb}"
        text = source_of(f"andon.tools.{VERBS[verb].module}")
        named = set(re.findall(r" (--[a-z-]+)", rest)) - {HELP}
        assert [option for option in named if f'"{option}"' not in text] == [], verb


@each
def test_requests_of_a_page_are_to_routes_that_exist(page: Path) -> None:
    routes = [
        (method.upper(), re.compile(re.sub(r"\{\w+\}", "[^/]+", path)))
        for path, operations in json.loads(openapi.DOCUMENT.read_text())["paths"].items()
        for method in operations
    ]
    for options, at, path in CALL.findall("\n".join(blocks_of(page))):
        [method] = re.findall(r"-X ([A-Z]+)", options) or ["GET"]
        asked = OF_MACHINE[at] + re.sub(r"\$\([^)]*\)|\$\w+|<\w+>", "x", path)
        assert any(method == known and route.fullmatch(asked) for known, route in routes), f"{method} {asked}"


def test_each_kind_of_command_is_found() -> None:
    found = {
        kind: sum(len(pattern.findall(code_of(page))) for page in PAGES)
        for kind, pattern in (("make", MAKE), ("andon", ANDON), ("call", CALL))
    }

    assert found["make"] > 100
    assert found["andon"] > 20
    assert found["call"] > 30
    assert variables_of("redrive") >= {"QUEUE", "SHOW", "RATE", "STACK"}
    assert "QUEUE" not in variables_of("audit")


def test_what_is_left_over_is_named_and_what_a_stack_has_is_not(tmp_path: Path) -> None:
    commands = "\n".join(blocks_of(ROOT / "docs" / "first-deployment.md"))
    [awk] = re.findall(r"^awk 'NR.*?known tagged$", commands, re.MULTILINE | re.DOTALL)
    of = "arn:aws:{}"
    left = [of.format("dynamodb:us-east-1:1:table/Andon-Board-OldTable"), of.format("s3:::andon-lake-x")]
    there = {
        "Andon-Board-Table": of.format("dynamodb:us-east-1:1:table/Andon-Board-Table"),
        "andon-lake": of.format("s3:::andon-lake"),
        "/aws/lambda/Andon-A": of.format("logs:us-east-1:1:log-group:/aws/lambda/Andon-A"),
        of.format("sns:us-east-1:1:Alarms"): of.format("sns:us-east-1:1:Alarms"),
    }
    (tmp_path / "known").write_text("\n".join(["", "Table", *there]) + "\n")
    (tmp_path / "tagged").write_text("\n".join(sorted([*left, *there.values()])) + "\n")

    said = subprocess.run(["sh", "-c", awk], cwd=tmp_path, check=True, capture_output=True, text=True)  # noqa: S603, S607

    assert said.stdout.splitlines() == sorted(left)
