"""The list of mutants fits the code; `make mutants` runs it."""

from pathlib import Path

import pytest

from tests.mutants.laws import MUTANTS
from tests.mutants.mutant import Mutant

PROJECT = Path(__file__).parents[1]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_fits_the_code(mutant: Mutant) -> None:
    assert mutant.misfit(PROJECT) is None


def test_a_mutant_has_a_name_of_its_own() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
