"""What breaks a law, and what may survive, fits the code; a mutant is noticed as it should be."""

import ast
from pathlib import Path
from textwrap import dedent
from typing import Final

import pytest

from tests.mutants import chosen, mutate, run
from tests.mutants.breaks import Breaks, all_breaks

BREAKS: Final = [*all_breaks()]
ACCEPTED: Final = chosen.accepted()


@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.then)
def test_what_breaks_a_law_fits_the_code(broken: Breaks) -> None:
    changed = broken.mutant() if broken.of else broken.applied_to_text()
    file, _, name = broken.test.partition("::")

    assert changed
    assert name.partition("[")[0] in (mutate.ROOT / file).read_text()


def test_no_law_is_broken_twice_in_the_same_words() -> None:
    assert len({broken.then for broken in BREAKS}) == len(BREAKS) <= 240


@pytest.mark.parametrize("of", sorted({of for of, _ in ACCEPTED}))
def test_what_may_survive_is_still_made_and_says_why(of: str) -> None:
    module, _, name = of.partition(":")
    made = {one.said for one in mutate.mutants_of(mutate.file_of(module), owners={tuple(name.split("."))})}

    assert {change for function, change in ACCEPTED if function == of} - made == set()
    assert all(len(why) > 10 for why in ACCEPTED.values())


def said_of(body: str, operator: str = "") -> list[str]:
    source = f"def f(a, b, items, table):\n    {body}\n    return None\n"
    return [one.said for one in mutate.mutants_of("f.py", source) if operator in {"", one.operator}]


OPERATORS: Final = [
    ("if a < b: pass", "compare", ["a < b -> a <= b", "a < b -> a >= b"]),
    ("if 0 < a < b: pass", "operand", ["0 < a < b -> 0 < a", "0 < a < b -> a < b"]),
    ("if a is None: pass", "left side", ["a is None -> a"]),
    ("if a and b: pass", "operand", ["a and b -> b", "a and b -> a"]),
    ("a = b + 1", "constant", ["b + 1 -> b + 2", "b + 1 -> b + 0"]),
    ("a = items[:2]", "slice", ["items[:2] -> items"]),
    ("a = sorted(items)", "call", ["sorted(items) -> items"]),
    ("a = min(items, key=len)", "call", ["min(items, key=len) -> max(items, key=len)"]),
    ("for one in items: a(one)", "iterate", ["for one in items: ... -> for one in (): ..."]),
    ("a = [one for one in items if one]", "condition", ["for one in items if one -> for one in items"]),
    ("try: a()\n    except KeyError: b()", "handler", ["except KeyError: ... -> except KeyError: raise"]),
    (
        "a = f'{a}#{b:05}'",
        "text",
        ["f'{a}#{b:05}' -> f'#{b:05}'", "f'{a}#{b:05}' -> f'{a}#'", "f'{a}#{b:05}' -> f'{a}#{b}'"],
    ),
    ("a = {Outcome.STALE, Outcome.NEW}", "member", ["{Outcome.STALE, Outcome.NEW} -> {Outcome.NEW, Outcome.NEW}"]),
    (
        "table.put(a, condition=b)",
        "argument",
        [
            "table.put(a, condition=b) -> table.put(a)",
            "table.put(a, condition=b) -> table.put(a, condition=UNCONDITIONAL)",
        ],
    ),
]


@pytest.mark.parametrize(("body", "operator", "said"), OPERATORS)
def test_an_operator_makes_its_changes(body: str, operator: str, said: list[str]) -> None:
    assert said_of(body, operator)[: len(said)] == said


@pytest.mark.parametrize(
    "less",
    ["#a < :a", "(#b = :b OR attribute_exists(#c))", "#a < :a AND (attribute_exists(#c))", "#a < :a AND (#b = :b)"],
)
def test_each_clause_of_a_condition_is_dropped_in_parentheses_or_not(less: str) -> None:
    assert f"a('{less}')" in {
        said.partition(" -> ")[2] for said in said_of("a('#a < :a AND (#b = :b OR attribute_exists(#c))')")
    }


def test_a_condition_may_be_made_of_values() -> None:
    made = said_of("a = f'#{a} <= :{a} AND {b}'", "text")

    assert "f'#{a} <= :{a} AND {b}' -> f'#{a} <= :{a}'" in made
    assert "f'#{a} <= :{a} AND {b}' -> f'{b}'" in made


@pytest.mark.parametrize(
    "source",
    [
        "MOST = 10",
        "Row: TypeAlias = Mapping[str, Any]",
        "def f(a=1): pass",
        "class A:\n    a: int = 3",
        "DAYS = {'a', 'b'}",
    ],
)
def test_what_is_meant_as_it_stands_is_not_changed(source: str) -> None:
    assert [*mutate.mutants_of("f.py", source)] == []


def test_neither_an_errors_words_nor_a_types_nor_an_empty_default_is_changed() -> None:
    assert said_of("raise ValueError('no ' + a)") == ["raise ValueError('no ' + a) -> pass"]
    assert said_of("a = cast('Row', b)") == []
    assert said_of("a = b or {}") == []


def test_any_beginning_of_what_is_drawn_has_as_many_of_each_function_as_can_be() -> None:
    source = "def f(a):\n    return a + 1 < 2\n\ndef g(a):\n    return a"
    drawn = chosen.drawn(mutate.mutants_of("f.py", source))

    assert [one.owner for one in drawn[:3]] == [("f",), ("g",), ("f",)]
    again = chosen.drawn(mutate.mutants_of("f.py", source))
    assert [one.said for one in drawn] == [one.said for one in again]


CODE: Final = '''
from functools import cache

LIMIT = "#a < :a"
AT_IMPORT = []

@cache
def larger(a, b):
    """Return the larger one."""
    if a < b:
        return b
    return a

def counted(n):
    while n > 0:
        n -= 1
    return n

def unseen():
    return 1

def started():
    return 5

VALUE = started()
'''
TESTS: Final = """
import sample_code as code

def test_larger():
    assert code.larger(1, 2) == 2
    assert code.larger(2, 1) == 2

def test_counted():
    assert code.counted(3) == 0

def test_limit():
    assert code.LIMIT == "#a < :a"

def test_value():
    assert code.VALUE == 5
"""


def test_a_mutant_is_noticed_by_a_test_that_passes_it_though_it_is_cached_never_ends_or_works_at_import(
    tmp_path: Path,
) -> None:
    (tmp_path / "sample_code.py").write_text(CODE)
    (tmp_path / "test_code.py").write_text(TESTS)
    file = str(tmp_path / "sample_code.py")
    mutants = [*mutate.mutants_of(file)]

    verdicts = {
        f"{one.said}": verdict.verdict
        for one, verdict in zip(mutants, run.tried(mutants, [str(tmp_path)]), strict=True)
    }

    assert {said for said, verdict in verdicts.items() if verdict == run.UNTESTED} == {
        "return 1 -> return None",
        "1 -> 2",
        "1 -> 0",
    }
    assert {said for said, verdict in verdicts.items() if verdict == run.SURVIVED} == {"a < b -> a <= b", "n > 0 -> n"}
    assert set(verdicts.values()) == {run.NOTICED, run.SURVIVED, run.UNTESTED}
    assert Path(file).read_text() == CODE


def test_the_tests_of_a_file_are_those_of_its_room_and_those_that_import_it() -> None:
    tests = chosen.tests_of("library/andon/versions/optimistic_lock.py")

    assert "library/tests/versions" in tests
    assert "library/tests/versions/test_optimistic_lock.py" in tests
    assert "tests/services/dispatch" in chosen.tests_of("functions/services/dispatch/rules/escalate.py")


def test_a_function_is_touched_if_its_tree_differs_wherever_it_stands() -> None:
    before = ast.unparse(ast.parse("def f():\n    return 1\n\ndef g():\n    return 2"))
    after = dedent("""
        def g():  # it moved
            return (2)

        def f():
            return 3
    """)

    assert {owner for owner, _ in chosen.trees_of(after) - chosen.trees_of(before)} == {("f",)}
