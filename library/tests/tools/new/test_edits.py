import ast
import textwrap

import pytest

from andon.tools.new import edits
from andon.tools.new.words import NotNew


def source(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


def plain(text: str) -> str:
    """Return a text as its meaning alone: commas and lines do not count."""
    return ast.unparse(ast.parse(text))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("FACTS = Facts('a', frozenset({x}), {x: y})", "FACTS = Facts('a', frozenset({x, new.T}), {x: y})"),
        ("FACTS = Facts('a', types=TYPES, of={})", "FACTS = Facts('a', types=TYPES | {new.T}, of={})"),
        (
            "FACTS = Facts('ä', types=frozenset({\n*ALL,  # all\n}))",
            "FACTS = Facts('ä', types=frozenset({*ALL, new.T}))",
        ),
    ],
)
def test_a_type_is_added_to_those_that_are_there(before: str, after: str) -> None:
    assert plain(edits.with_type(before, "Facts", "new.T")) == plain(after)


def test_rules_that_take_the_types_of_facts_need_none() -> None:
    text = "RULES = Rules(source='a', types=FACTS.types, all=(one.RULE,))"

    assert edits.with_type(text, "Rules", "new.T") == text
    assert plain(edits.with_rule(text, "new.RULE")) == plain(text.replace("one.RULE,", "one.RULE, new.RULE"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", "{new.D: new.f}"),
        ("{a: b}", "{a: b, new.D: new.f}"),
        ("{**ALL}", "{**ALL, new.D: new.f}"),
        ("OF", "{**OF, new.D: new.f}"),
    ],
)
def test_a_meaning_is_added_to_those_that_are_there(before: str, after: str) -> None:
    for call, types in (("Facts(source='a', ", "types=T"), ("facts_of('a', ", "")):
        text, said = f"F = {call}{types or 'X'}, of={before})", f"F = {call}@, of={after}, entities={{new.T: new.E}})"
        found = edits.with_fact(text, "new.T", "new.E", kind="new.D", meaning="new.f")
        assert plain(found) == plain(said.replace("@", "types=T | {new.T}" if types else "X"))


def test_a_file_gets_what_it_lacks_and_keeps_what_it_has() -> None:
    text = source(
        '''
        """What it is."""

        from a import b

        app = b()  # its own


        def one() -> None:
            """Do."""


        ON = {"one": one}
        '''
    )
    more = "from a import b\nfrom c import d, e\n\napp = e()\n\n\n@app.x(\n    1\n)\ndef two() -> None:\n    d()\n"

    merged = edits.merged(text, more, before="ON")

    assert plain(merged) == plain(
        text.replace("from a import b", "from c import d\nfrom a import b").replace(
            "ON =", "@app.x(1)\ndef two() -> None:\n    d()\n\n\nON ="
        )
    )
    assert "# its own" in merged


def test_a_line_of_the_stack_stands_below_those_of_its_kind_as_they_are_written() -> None:
    stack = 'from andon.cdk.view import View\n\n\ndef f():\n    View(stack, "a", hub, api)\n    Lake(stack, hub, api)\n'

    added = edits.with_package(edits.with_package(stack, "View", "b"), "Service", "c")

    assert 'View(stack, "a", hub, api)\n    View(stack, "b", hub, api)\n' in added
    assert '    Service(stack, "c", hub, api)\n' in added
    assert "from andon.cdk.service import Service\n" in added
    with pytest.raises(NotNew, match=r'infra/stack.py has no line of a package, as: View\(self, "b", hub, api\)'):
        edits.with_package("x = 1\n", "View", "b")


@pytest.mark.parametrize(
    ("before", "after"), [("{}", "{new.KIND: D(E.F)}"), ("of(x)", "{**of(x), new.KIND: D(E.F)}")], ids=["none", "of"]
)
def test_an_aggregate_is_declared_beside_the_others(before: str, after: str) -> None:
    text = edits.with_aggregate(f"from a import x\n\nAGGREGATES = {before}\n", "new.KIND", "D(E.F)", "services.s.new")

    assert plain(text) == plain(
        f"from andon.versions.aggregate import D, E\nfrom services.s import new\nfrom a import x\nAGGREGATES = {after}"
    )


@pytest.mark.parametrize(
    "edit",
    [
        lambda: edits.with_rule("RULES = Rules(all=RULES_OF_ALL)", "new.RULE"),
        lambda: edits.with_type("x = 1", "Facts", "new.T"),
        lambda: edits.with_entry("x = 1", "ON", "a: b"),
    ],
)
def test_what_is_not_found_is_refused(edit: object) -> None:
    assert callable(edit)
    with pytest.raises(NotNew):
        edit()
