"""A changed line of a handler is told from a changed declaration, which is one of the infrastructure."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from andon.dynamodb.schema import Index, Keys, TableSchema
from andon.project import library_folder
from andon.tools.stack.made_of import MadeOf, text_of

FOREIGN = Path(__file__).parents[1] / "foreign"
NOW = "import json; from andon.tools.stack.made_of import MadeOf; print(json.dumps(MadeOf.now()))"
COMMAND, VIEW = Path("services", "loans", "command.py"), Path("views", "borrowed", "view.py")


@pytest.fixture
def lending(tmp_path: Path) -> Path:
    """A project of another domain."""
    return shutil.copytree(FOREIGN, tmp_path / "lending")


def now(project: Path) -> MadeOf:
    """Return what a process that begins now finds."""
    imports = os.pathsep.join(map(str, (project / "functions", library_folder().parent)))
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", NOW], env={"PYTHONPATH": imports}, check=True, capture_output=True, text=True
    )
    return MadeOf(*json.loads(run.stdout))


def edit(project: Path, file: Path, before: str, after: str) -> None:
    """Replace some text of a file."""
    path = project / "functions" / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


@pytest.fixture(scope="module")
def was() -> MadeOf:
    """The project before it is edited, wherever it lies."""
    return now(FOREIGN)


def test_changed_lines_are_code_of_their_packages_alone(lending: Path, was: MadeOf) -> None:
    assert now(lending) == was
    edit(lending, COMMAND, "HTTPStatus.NO_CONTENT", "HTTPStatus.OK")
    edit(lending, VIEW, 'oplock="lent"', 'oplock="lending"')

    found = now(lending)

    assert found.reshaped(was) == []
    changed = [folder for folder in found.code if found.code[folder] != was.code[folder]]
    assert changed == ["services/loans", "views/borrowed"]


DECLARED = [
    (COMMAND, "PUT /books/{id}/loan", "PUT /books/{id}/lending", {"limits", "routes"}),
    (COMMAND, '{"reader", "admin"}', '{"admin"}', {"routes"}),
    (VIEW, 'Keys("book"', 'Keys("Book"', {"tables"}),
    (VIEW, "TTL_DAYS = 90", "TTL_DAYS = 80", {"TTL_DAYS"}),
    (VIEW, "TTL_DAYS = 90", "TTL_DAYS = 90\nSTEADY = True", {"tables"}),
    (VIEW, '"book-lent"', '"book-returned"', {"subscriptions"}),
]


@pytest.mark.parametrize(("file", "before", "after", "reshaped"), DECLARED)
def test_a_changed_declaration_is_infrastructure_and_named(
    lending: Path, was: MadeOf, file: Path, before: str, after: str, reshaped: set[str]
) -> None:
    edit(lending, file, before, after)

    assert now(lending).reshaped(was) == [f"{file.parent.as_posix()}: {name}" for name in sorted(reshaped)]


def test_files_that_no_function_gets_are_infrastructure_and_a_new_package_is_named_once(
    lending: Path, was: MadeOf
) -> None:
    (lending / "app.py").write_text((lending / "app.py").read_text() + "\n")
    edit(lending, Path("project.py"), "who has which book", "where is which book")
    shutil.copytree(lending / "functions" / "views" / "borrowed", lending / "functions" / "views" / "lenders")

    found = now(lending)

    assert found.reshaped(was) == ["app.py", "functions/project.py", "views/lenders is new"]
    assert was.reshaped(found) == ["app.py", "functions/project.py", "views/lenders is gone"]
    assert [*found.views] == ["borrowed", "lenders", "shelves"]


def test_what_is_known_is_read_as_it_was_written_and_nothing_is_known_without_it(tmp_path: Path) -> None:
    made = MadeOf({"app.py": "1"}, {"views/things": "2"}, ("things",), ("views/things",))
    assert MadeOf.read(tmp_path) is None
    (tmp_path / "tmp").mkdir()

    made.write(tmp_path)

    assert MadeOf.read(tmp_path) == made


@dataclass(frozen=True)
class Made:
    """A value with a name."""

    name: str


class Plain:
    """An object that says nothing of itself."""

    def __init__(self, name: str) -> None:
        self.name = name


KEYS = Keys("thing", one_partition_per="entity")

SAME: Mapping[str, tuple[object, object]] = {
    "a set": (frozenset({"a", "b", "c"}), {"c", "b", "a"}),
    "an order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "an object": (Plain("a"), Plain("a")),
    "a function with arguments": (partial(text_of, "a"), partial(text_of, "a")),
}
OTHER: Mapping[str, tuple[object, object]] = {
    "kinds": ("1", 1),
    "lists": ([1, 2], [2, 1]),
    "functions": (now, edit),
    "arguments": (partial(text_of, "a"), partial(text_of, "b")),
    "values": (Made("a"), Made("b")),
    "objects": (Plain("a"), Plain("b")),
    "schemas": (TableSchema(KEYS), TableSchema(KEYS, {"ByThing": Index(KEYS)})),
}


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_equal_declarations_are_the_same_text(pair: tuple[object, object]) -> None:
    one, other = (text_of(value).removeprefix("frozenset").removeprefix("set") for value in pair)

    assert one == other
    assert " at 0x" not in one


@pytest.mark.parametrize("pair", OTHER.values(), ids=OTHER)
def test_other_declarations_are_another_text(pair: tuple[object, object]) -> None:
    assert text_of(pair[0]) != text_of(pair[1])
