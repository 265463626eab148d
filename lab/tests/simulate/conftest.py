import pytest

from lab.simulate.counted import Counted, Fleet, count
from lab.simulate.model import FleetModel


@pytest.fixture(scope="session")
def counted() -> Counted:
    """The calls of every function for NORMAL reports of a few machines."""
    return count(Fleet(machines=12, seconds=900))


@pytest.fixture(scope="session")
def model(counted: Counted) -> FleetModel:
    return FleetModel(counted, count(Fleet(machines=0, seconds=900)))
