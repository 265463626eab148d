"""`SET=`: one line of one module, or a refusal that says why."""

from pathlib import Path

import pytest

from andon.tools.stack.errors import ToolFailed
from andon.tools.what_if.trees import ConstantSet

MODULES = {
    "things/rules/late.py": "from x import MINUTE\n\nAFTER = 15 * MINUTE  # as people asked\nONLY: Final = 3\n",
    "things/rules/early.py": "AFTER: Final = 2\nLONG = (\n    1,\n)\n\ndef f():\n    INNER = 1\n",
    "others/late.py": "BEFORE = 2\nAFTER_ALL = 3\nBEFORE == 2\n",
}


@pytest.fixture
def functions(tmp_path: Path) -> Path:
    for name, text in MODULES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def texts(functions: Path) -> dict[str, str]:
    return {name: (functions / name).read_text() for name in MODULES}


@pytest.mark.parametrize(
    ("asked", "place", "line", "is_now"),
    [
        ("ONLY=4 + 1", "things/rules/late.py:4", "ONLY: Final = 3", "ONLY: Final = 4 + 1"),
        ("BEFORE = 'a=b'", "others/late.py:1", "BEFORE = 2\n", "BEFORE = 'a=b'\n"),
        ("rules.late.AFTER=1", "things/rules/late.py:3", "AFTER = 15 * MINUTE  # as people asked", "AFTER = 1"),
        ("early.AFTER=1", "things/rules/early.py:1", "AFTER: Final = 2", "AFTER: Final = 1"),
    ],
)
def test_one_line_has_another_value_and_all_others_stay(
    functions: Path, asked: str, place: str, line: str, is_now: str
) -> None:
    name, _ = place.split(":")
    wanted = {**MODULES, name: MODULES[name].replace(line, is_now)}
    assert ConstantSet.of(asked).set_in(functions) == place
    assert texts(functions) == wanted


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("AFTER=1", r"2 lines begin with AFTER =: things/rules/early\.py:1, things/rules/late\.py:3"),
        ("INNER=1", "no lines begin with INNER ="),
        ("ours.late.AFTER=1", r"no lines begin with ours\.late\.AFTER ="),
        ("LONG=1", r"more than one line, in things/rules/early\.py"),
    ],
)
def test_none_several_and_half_a_value_are_refused_and_nothing_is_written(
    functions: Path, asked: str, why: str
) -> None:
    with pytest.raises(ToolFailed, match=why):
        ConstantSet.of(asked).set_in(functions)
    assert texts(functions) == MODULES


@pytest.mark.parametrize("asked", ["AFTER", "AFTER=", "=1", "A B=1", "AFTER==1", "AFTER=1 +", "AFTER=(1,\n2)", "9A=1"])
def test_what_is_no_name_and_expression_of_one_line_is_refused(asked: str) -> None:
    with pytest.raises(ToolFailed, match="SET="):
        ConstantSet.of(asked)
