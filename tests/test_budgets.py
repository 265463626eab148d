"""Nothing grows that has to be read, unless somebody says so in `tests/budgets.toml`."""

from pathlib import Path

import pytest

from andon.project import project
from tests.support.budgets import ALONE, LEANING, NAMED_OF, STATEMENTS, WORDS, counted, lowered, read

MORE = {
    "library/andon/views/more.py": 'import json\n\n\ndef used() -> None:\n    """It has words."""\n    pass\n',
    "functions/views/board/more.py": '"""What is more."""\nfrom andon.views.more import used\n\nALONE = used()\n',
    "functions/views/board/of.py": 'def row_of() -> None:\n    """Return a row.\n\n    Whoever asks.\n    """\n',
    "library/andon/tools/templates/x/more.py": "def template() -> None: ...\n",
    "docs/more.md": "# Three words<!-- all.words -->\n",
}


@pytest.fixture(scope="module")
def now() -> dict[str, dict[str, int]]:
    return {kind: dict(counts) for kind, counts in counted(project().root).items()}


def test_no_room_and_no_folder_is_above_its_budget(now: dict[str, dict[str, int]]) -> None:
    allowed = read(project().root)
    above = [
        f"{room}: {count} {kind}, not {allowed[kind].get(room, 0)}"
        for kind, counts in now.items()
        for room, count in counts.items()
        if count > allowed[kind].get(room, 0)
    ]

    assert above == [], "to be made smaller, or argued for"


def test_a_budget_is_no_larger_than_what_is_needed(now: dict[str, dict[str, int]]) -> None:
    """It may be a hundredth, and ten."""
    allowed = read(project().root)
    loose = [
        f"{kind} of {room}: {budget}, and {now[kind].get(room, 0)} are needed"
        for kind, rooms in allowed.items()
        for room, budget in rooms.items()
        if budget > now[kind].get(room, 0) * 1.01 + 10
    ]

    assert loose == [], "lower them: make budgets"


def test_what_is_counted(tmp_path: Path) -> None:
    for path, text in MORE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    assert counted(tmp_path) == {
        STATEMENTS: {"library/andon/views": 2, "functions/views/board": 2},
        ALONE: {"library/andon/views": 0, "functions/views/board": 2},
        LEANING: {"library/andon/views": 0, "functions/views/board": 1},
        NAMED_OF: {"library/andon/views": 0, "functions/views/board": 1},
        WORDS: {"docs": 3},
    }


def test_a_budget_is_lowered_and_never_raised() -> None:
    text = lowered({WORDS: {"a": 3, "b": 9, "new": 2}}, {WORDS: {"a": 5, "b": 7, "gone": 1}})

    assert text.splitlines()[2:] == ['["words"]', '"a" = 3', '"b" = 7', '"new" = 2']
