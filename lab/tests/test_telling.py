"""People are told, whatever happens: three seeds of the parts in which chance has a say, one of the others."""

from typing import Final

import pytest

from andon.testing.proving.prover import Prover, prove
from lab import telling

PROVER: Final = Prover.of(telling)
CHANCE: Final = ("crowd", "overlapping", "failing", "unanswered")
SLOW: Final = {"slowly"}  # `make prove NAME=telling` does it


@pytest.mark.parametrize("name", CHANCE)
def test_a_part_of_telling_holds_for_three_seeds(name: str) -> None:
    record = prove(PROVER, seeds=range(1, 4), only=[name])

    assert not record.broken, record.text()


@pytest.mark.parametrize("name", [name for name in PROVER.parts if name not in {*CHANCE, *SLOW}])
def test_a_part_of_telling_holds(name: str) -> None:
    record = prove(PROVER, only=[name])

    assert not record.broken, record.text()
