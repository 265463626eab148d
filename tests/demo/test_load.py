import sys

import pytest

from andon.tools.stack import outputs
from andon.tools.stack.errors import NotRunning
from demo import loading
from demo.load import EACH, STATE_REPORTS, made_up


def test_reports_are_distinct_and_spread_in_turn_over_equipment_that_nothing_else_speaks_of() -> None:
    items = made_up("1a", 2 * EACH, 1_790_000_000_000)

    assert len(set(items)) == len(items)
    assert [item.group for item in items[:4]] == ["load-1a-0", "load-1a-1", "load-1a-0", "load-1a-1"]


def test_what_is_watched_fits_into_one_answer() -> None:
    items = made_up("1a", 5 * EACH + 1, 1_790_000_000_000)

    assert 0 < sum(item.group == items[0].group for item in items) <= EACH


def test_two_runs_speak_of_different_equipment() -> None:
    assert not set(made_up("1a", 10, 0)) & set(made_up("1b", 10, 0))


def test_without_a_running_stack_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing() -> dict[str, str]:
        raise NotRunning("nothing is running here; start it with: make up")

    monkeypatch.setattr(outputs, "of_running_stack", nothing)
    monkeypatch.setattr(sys, "argv", ["load"])

    assert loading.main(STATE_REPORTS) == 1
    assert capsys.readouterr().err == "make load: nothing is running here; start it with: make up\n"
