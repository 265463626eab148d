"""`andon docs`: pages, sections and words are found."""

import pytest

from andon.tools import docs
from andon.tools.docs_index import section_with_those_below, sections_of
from andon.tools.stack.errors import ToolFailed

PAGES = {
    "README": "# Pages\n\n## Start\n\n| page | says |\n|---|---|\n| [rules](rules.md) | many, [lately](rules.md) |\n",
    "rules": "# Rules\n\nSee [fault](patterns/fault.md), [below](#time), [code](../functions/).\n\n## Time\n\nLate.\n",
    "patterns/fault": (
        "# Fault\n\n[time, time](../rules.md#time)\n\n```sh\n# [no](link.md)\n```\n\n## Cost\n\n### More\n\nA key.\n"
    ),
}


def test_a_page_a_section_and_words_are_found() -> None:
    assert docs.answer(PAGES, []).splitlines()[:2] == ["Start", f"  {'rules':32} many, lately"]
    assert docs.answer(PAGES, ["rules"]) == (
        "# Rules\n\nSee fault [patterns/fault], below [rules#time], code.\n\n## Time\n\nLate.\n"
    )
    assert docs.answer(PAGES, ["rules#time"]) == docs.answer(PAGES, ["LATE"]) == "## Time\n\nLate."
    assert docs.answer(PAGES, ["patterns/fault#cost"]) == "## Cost\n\n### More\n\nA key."
    assert "time, time [rules#time]" in docs.answer(PAGES, ["patterns/fault"])
    assert "# [no](link.md)" in docs.answer(PAGES, ["patterns/fault"])
    assert docs.answer(PAGES, ["time", "nothing"]).split()[:2] == ["rules#time", "Time"]


def test_a_module_of_the_library_says_what_it_has() -> None:
    said = docs.answer(PAGES, ["andon.versions.claims"])

    assert "Claims: things with one owner at a time" in said
    assert "class Claim(" in said


@pytest.mark.parametrize("asked", [["nothing"], ["andon.nothing"], ["andon.no.thing"], ["json"]])
def test_what_no_page_has_is_said(asked: list[str]) -> None:
    with pytest.raises(ToolFailed, match=f"no page has {' and '.join(asked)}"):
        docs.answer(PAGES, asked)


def test_of_a_page_without_such_a_section_the_nearest_are_named() -> None:
    with pytest.raises(ToolFailed, match=r"^rules has no section 'times'; it has rules#time, rules#rules$"):
        docs.answer(PAGES, ["rules#times"])


def test_of_a_class_is_shown_what_is_its_own_and_not_what_a_tuple_has() -> None:
    said = docs.answer(PAGES, ["andon.events.fact"])

    assert "fact_of(self, change" in said
    assert "Data descriptors defined here" in said
    assert "inherited from builtins" not in said
    assert "__contains__" not in said


def test_a_comment_in_code_is_no_section() -> None:
    assert [one.title for one in sections_of(PAGES["patterns/fault"])] == ["Fault", "Cost", "More"]
    assert section_with_those_below(sections_of(PAGES["rules"]), "no") is None
