"""The words of the code: what slipped once is held by a bound. To lower a bound is welcome, to raise it is not."""

from typing import Final

import pytest

from andon.project import project
from tests.support.words import FOLDERS, counts_of

BOUNDS: Final = {
    "casts": 30,  # elsewhere a type says it: `members_of`, `Versions.row_of`, `History.context_as`
    "bags": 120,  # `[str, Any]`, where the content is really unknown
    "names of several classes": 10,  # one name has one meaning
    "docstrings that begin with What": 60,  # name the thing: "Topics to subscribe to.", not "What to subscribe to."
    "docstrings that begin with How": 60,  # nor with Where, Who, Whether, Give, Tell, Say
    "long functions": 10,  # that read best whole: ruff refuses all others above 15 statements
}


def test_the_code_is_within_the_bounds_of_its_words() -> None:
    root = project().root
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*.py")]
    files = [file for file in files if file.relative_to(root).parts[1] != "tests"]  # of a part whose tests lie in it
    counts = counts_of({file.relative_to(root).as_posix(): file.read_text() for file in files})

    assert {name: number for name, number in counts.items() if number > BOUNDS[name]} == {}


ONE_MORE: Final = [
    ("casts", 'row = cast("Row", item)'),
    ("bags", "Row = Mapping[str, Any]"),
    ("names of several classes", "class Thing:"),
    ("docstrings that begin with What", 'def read() -> None:\n    """What it reads."""'),
    ("docstrings that begin with What", '"""Return what it reads."""'),
    ("docstrings that begin with How", '    """How it reads."""'),
    ("docstrings that begin with How", '    """Return whether it reads."""'),
    ("long functions", "def read() -> None:  # noqa: PLR0915  one after the other"),
]


@pytest.mark.parametrize(("name", "text"), ONE_MORE)
def test_one_more_is_counted_and_nothing_else(name: str, text: str) -> None:
    there = {"library/andon/views/thing.py": "class Thing:\n    ..."}
    more = counts_of({**there, "functions/views/things/thing.py": text})

    assert {one: number for one, number in more.items() if number} == {name: 1}


@pytest.mark.parametrize("path", ["library/andon/tools/templates/view/thing.py", "lab/thing.py"])
def test_types_and_names_count_where_projects_run_them(path: str) -> None:
    one = "class Thing(Mapping[str, Any]): ...\nthing = cast(Thing, {})"

    assert not any(counts_of({"functions/thing.py": "class Thing: ...", path: one}).values())
