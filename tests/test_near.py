"""What `make t` runs: the tests of a place, and the laws of a package."""

import pytest

from andon.project import project
from tests.support.near import NothingThere, found_at


@pytest.mark.parametrize(
    ("place", "folder", "package"),
    [
        ("views/board", "tests/views/board", "board"),
        ("functions/views/board/places.py", "tests/views/board", "board"),
        ("services/dispatch/", "tests/services/dispatch", "dispatch"),
        ("rules", "library/tests/rules", ""),
        ("library/andon/views/inverse_oplock.py", "library/tests/views", ""),
        ("library/andon/stores/lake/read.py", "library/tests/stores/lake", ""),
        ("gateway/andon_gateway/store.py", "gateway/tests", ""),
        ("lab/simulate/batches.py", "lab/tests/simulate", ""),
        ("stores/faults", "tests/stores/faults", ""),
    ],
)
def test_a_place_has_the_tests_of_its_folder_or_of_the_next_one_above(place: str, folder: str, package: str) -> None:
    files, found = found_at(place, project().root)

    assert found == package
    assert {*files} >= {*(project().root / folder).glob("test_*.py")} != set()


def test_a_file_of_tests_is_run_alone_and_of_nothing_there_is_nothing() -> None:
    itself = "tests/test_near.py"

    assert found_at(itself, project().root) == ([project().root / itself], "")
    with pytest.raises(NothingThere, match="no tests are at nowhere"):
        found_at("nowhere", project().root)
