"""Samples that a view cannot read: each a sentence, and the others are tried all the same."""

import pytest

from andon.testing.convergence import stories_of, unread_by
from views.state_log import view as state_log


def test_an_old_sample_that_nobody_lifts_is_a_sentence_and_the_others_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    before = stories_of("state_log")
    assert unread_by("state_log") == []
    monkeypatch.setattr(state_log, "UPCASTERS", {})

    [said] = unread_by("state_log")
    told = stories_of("state_log")

    assert said.startswith("view state_log cannot read events/domain/state-reported.v0.json: ")
    assert said.endswith("; an old shape is lifted by UPCASTERS")
    assert sum(map(len, told.values())) == sum(map(len, before.values())) - 1
