"""Each part of the repository could stand in one of its own."""

import pytest

from tests.support.parts import PARTS, crossings, files_of


@pytest.mark.parametrize("name", PARTS)
def test_a_part_imports_from_those_before_it_alone_and_nothing_of_their_tests(name: str) -> None:
    assert len(files_of(name)) > 50
    assert [*crossings(name)] == []


def test_each_part_imports_from_those_before_it_in_the_order_in_which_they_stand() -> None:
    before = set[str]()
    for name, part in PARTS.items():
        assert set(part.upon) <= before
        before.add(name)
