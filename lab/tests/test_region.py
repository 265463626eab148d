"""A region is lost in the middle of writes, and another one goes on from the copy of its lake."""

import pytest

from andon.testing.proving.prover import Prover, Record, prove
from lab import region
from lab.region import drill


def proved(*seeds: int) -> Record:
    return prove(Prover.of(region), seeds=seeds, only=["lost"])


def test_no_acknowledged_write_is_missing_beyond_the_bound_and_no_row_is_wrong() -> None:
    record = proved(1, 2, 3)

    assert not record.broken, record.text()
    assert record.tried["lost: an acknowledged write is there, or within the bound"] > 150
    assert record.tried["lost: a row is what it was"] > 300
    assert ", 0 missing" not in record.text(), "the cut was in the middle of writes"


def test_without_its_own_rows_a_service_has_lost_what_was_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drill, "bring_back", lambda **_: None)

    assert {
        "lost: an acknowledged write is there, or within the bound",
        "lost: a row is what it was",
    } <= proved(1).broken.keys()
