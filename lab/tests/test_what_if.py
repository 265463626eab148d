"""The prover of `make what-if`, short."""

from functools import partial

import pytest

from andon.project import project
from andon.testing.proving.prover import ProvedPart, Prover, prove
from lab.quiet_clock import clock_alone
from lab.what_if import proof
from lab.what_if.changes import CHANGES, Change
from lab.what_if.oracle import misfits

FUNCTIONS = project().root / "functions"
TRIED = {"silent sooner", "longer slots of messages", "errors alone are assigned"}


@pytest.mark.parametrize(("seed", "change"), [*enumerate((one for one in CHANGES if one.name in TRIED), start=1)])
def test_what_a_change_makes_of_a_lake_is_what_is_decided_again_and_another_answer_is_told(
    seed: int, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "SHARE", 0.3)
    parts = {one.__name__: ProvedPart(partial(one, changes=[change])) for one in (proof.change, proof.end_sooner)}

    record = prove(Prover(parts, world=clock_alone), seeds=[seed])

    assert (record.broken, len(record.tried)) == ({}, 4), record.text()
    assert misfits(proof.place(seed).whole(change), *[proof.place(seed).again(proof.NOTHING)] * 2), "another answer"


@pytest.mark.parametrize("change", [one for one in CHANGES if one.edits], ids=lambda change: change.name)
def test_each_change_of_the_prover_fits_the_sample(change: Change) -> None:
    assert all((FUNCTIONS / edit.file).read_text().count(edit.before) == 1 for edit in change.edits)
