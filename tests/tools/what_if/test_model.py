"""The model of `make prove-what-if` beside the tool, and its changes beside the sample."""

import pytest

from andon.project import project
from andon.tools.what_if.report import WhatIf
from lab.what_if.changes import CHANGES, Change
from lab.what_if.combinations import misfits, modelled
from lab.what_if.facts import facts_in
from lab.what_if.model_rules import ModelRules
from tests.tools.what_if.asking import SOONER_MS


def test_the_model_decides_what_the_tool_does_and_tells_another_answer(sooner: WhatIf, lines: list[str]) -> None:
    facts = facts_in(lines)
    before, after = (
        modelled(facts, rules, facts.end_ms) for rules in (ModelRules(), ModelRules(silent_after_ms=SOONER_MS))
    )
    assert len(after) > len(before) >= 50
    assert misfits(sooner, before, after) == []
    assert misfits(sooner, before, before) != []
    assert misfits(sooner, after, after) != []


@pytest.mark.parametrize("change", [one for one in CHANGES if one.edits], ids=lambda change: change.name)
def test_each_change_of_the_prover_fits_the_sample(change: Change) -> None:
    functions = project().root / "functions"
    assert [edit for edit in change.edits if (functions / edit.file).read_text().count(edit.before) != 1] == []
