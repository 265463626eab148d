"""Each part of the repository could stand in one of its own."""

from typing import Final

import pytest

from tests.support.parts import PARTS, crossings, files_of

MOVING: Final = (
    *(f"tests/support/{name}.py" for name in ("certificates", "scripted_server", "wire")),
    *(f"library/tests/toys/{name}.py" for name in ("installed", "pair", "things", "two_sides")),
)
"""Modules that are to be in `andon.testing`; tests of the library import many more."""


@pytest.mark.parametrize("name", [name for name in PARTS if name != "library"])
def test_a_part_imports_from_those_before_it_alone_and_nothing_of_their_tests(name: str) -> None:
    assert len(files_of(name)) > 50
    assert [one for one in crossings(name) if not one.endswith(MOVING)] == []


def test_each_part_imports_from_those_before_it_in_the_order_in_which_they_stand() -> None:
    before = set[str]()
    for name, part in PARTS.items():
        assert set(part.upon) <= before
        before.add(name)
