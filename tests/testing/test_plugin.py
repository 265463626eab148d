"""A run that fails says what failed, and not what handlers logged meanwhile."""

import pytest

from andon.project import project
from andon.testing import plugin

pytest_plugins = ["pytester"]

LAW = '''
"""Colours: what is red stays red;
see `colours.py`."""

import json

import pytest


@pytest.mark.parametrize("thing", ["lamp", "door"])
def test_a_red_thing_stays_red(thing):
    print(json.dumps({"level": "INFO", "message": "handled"}))
    assert thing == "lamp", f"{thing} turned blue: write RED into it\\nand more"
'''
LOGGED = '{"level": "INFO", "message": "handled"}'
SENTENCE = "A red thing stays red. Colours: what is red stays red; see `colours.py`."


@pytest.fixture
def law(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with a law that is broken by one of two things."""
    pytester.makepyfile(test_colours=LAW)
    monkeypatch.setattr(plugin, "LAWS", pytester.path)
    return pytester


def output(pytester: pytest.Pytester, *arguments: str) -> str:
    """Return what pytest prints of a run that fails."""
    result = pytester.runpytest_inprocess("-p", "andon.testing.plugin", "-p", "no:cacheprovider", *arguments)
    result.assert_outcomes(passed=1, failed=1)
    return result.stdout.str()


def test_a_broken_law_ends_the_run_with_its_sentence_and_what_breaks_it(law: pytest.Pytester) -> None:
    _, _, end = output(law, "test_colours.py").partition("laws that are broken")

    assert [line.strip() for line in end.splitlines()[1:4]] == [
        SENTENCE,
        "door: AssertionError: door turned blue: write RED into it",
        "What was printed and logged meanwhile: --show-capture=all",
    ]


def test_log_lines_are_shown_where_they_are_asked_for(law: pytest.Pytester) -> None:
    assert LOGGED not in output(law, "test_colours.py").splitlines()
    assert LOGGED in output(law, "test_colours.py", "--show-capture=all").splitlines()


REFUSED = "TABLE: 'pk' has one partition per site, so that all would go to one."


def test_a_stack_that_is_refused_at_synth_is_one_failure_with_its_sentence(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(app=f'raise ValueError("{REFUSED}")')
    file = pytester.makepyfile("def test_roles(template): ...\ndef test_queues(template): ...")
    here = project()._replace(file=str(pytester.path / "functions" / "project.py"))
    monkeypatch.setattr("andon.testing.synthesised.project", lambda: here)

    result = pytester.runpytest_inprocess("-p", "andon.testing.plugin", "-p", "no:cacheprovider", "-rs", file)

    result.assert_outcomes(errors=1, skipped=1)
    why = f"the stack is refused at synth: {REFUSED}"
    assert [line for line in result.outlines if line == why] == [why]
    result.stdout.fnmatch_lines([f"SKIPPED*{why}"])
    assert "Traceback" not in result.stdout.str()
