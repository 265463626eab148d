import pytest

from local.simulate.counted import Counted
from local.simulate.fleet import Fleet
from local.simulate.model import Model
from local.simulate.sample import count
from local.simulate.settings import Settings


@pytest.fixture(scope="session")
def counted() -> Counted:
    """What NORMAL reports of a few machines make every function do."""
    return count(Fleet(machines=12, seconds=1_800))


@pytest.fixture(scope="session")
def model(counted: Counted) -> Model:
    return Model(counted, count(Fleet(machines=0, seconds=1_800)), Settings.of())
