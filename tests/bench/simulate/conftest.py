import pytest

from bench.simulate.counted import Counted, Fleet
from bench.simulate.model import Model
from bench.simulate.sample import count
from bench.simulate.settings import Settings


@pytest.fixture(scope="session")
def counted() -> Counted:
    """What NORMAL reports of a few machines make every function do."""
    return count(Fleet(machines=12, seconds=1_800))


@pytest.fixture(scope="session")
def model(counted: Counted) -> Model:
    return Model(counted, count(Fleet(machines=0, seconds=1_800)), Settings.of())
