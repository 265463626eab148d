"""A region is lost in the middle of writes, and another one goes on from the copy of its lake."""

import pytest

from lab.region import drill
from lab.region.__main__ import broken, lines_of
from lab.region.times import COPY_MS, RPO_MS

SEEDS = (1, 5, 12)
"""Of those of `make region-drill`: in the fifth several edits cross before one here, in the twelfth two at once."""


@pytest.mark.parametrize("seed", SEEDS)
def test_no_acknowledged_write_is_missing_beyond_the_bound_and_no_row_is_wrong(seed: int) -> None:
    found = drill.run(seed)

    assert (found.beyond, found.wrong, found.again) == (0, [], 0)
    assert found.acknowledged > 50
    assert found.ages_ms, "the cut was in the middle of writes"
    assert found.compared > 100


def test_without_its_own_rows_a_service_has_lost_what_was_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill, "bring_back", lambda **_: None)

    found = drill.run(1)

    assert found.beyond
    assert found.wrong
    assert broken(found)


def test_the_bound_is_printed() -> None:
    text = "\n".join(lines_of([drill.Drill(1, 9, [COPY_MS, RPO_MS + 1], 8, [("T", "a")], 0)]))

    assert f"bound: {RPO_MS / 60_000:.1f} min" in text
    assert "beyond the bound: 1" in text
    assert "of these wrong: 1" in text
