"""What takes minutes by the clock on the deployed stack, which `andon.testing.deployed` brings."""

import pytest

from andon.tools.stack.stack import Stack
from tests.support.deployed import chained_presses as presses
from tests.support.deployed.dead_press import DeadPress, die

BY_THE_CLOCK = ("dead_press", "chained_presses")
OF_EVERYTHING = ("test_drift.py", "test_redeploy.py")


@pytest.fixture(scope="session")
def dead_press(stack: Stack) -> DeadPress:
    return die(stack)


@pytest.fixture(scope="session")
def chained_presses(stack: Stack) -> presses.ChainedPresses:
    return presses.begin(stack)


@pytest.fixture(scope="session", autouse=True)
def _begun(request: pytest.FixtureRequest) -> None:
    """Begin at once what takes minutes by the clock, if a test of this run asks for it."""
    asked = {name for item in request.session.items for name in getattr(item, "fixturenames", ())}
    for name in BY_THE_CLOCK:
        if name in asked:
            request.getfixturevalue(name)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what goes through the whole lake and all rows, of which the attack makes many."""
    items.sort(key=lambda item: item.path.name not in OF_EVERYTHING)
