from collections.abc import Iterator

import pytest

from tests.support.dispatch.floor import Floor
from tests.support.samples import NOW


@pytest.fixture(scope="module")
def floor() -> Iterator[Floor]:
    """Dispatch alone, at `NOW`; to be restarted by who wants it empty."""
    with Floor(NOW) as floor:
        yield floor


@pytest.fixture
def press(floor: Floor) -> str:
    """The only piece of equipment, in a factory that has a roster."""
    floor.restart("press-7")
    return "press-7"
