from pathlib import Path

import pytest

import tests.support.infra.kernel  # noqa: F401  before the CDK is loaded
from andon.testing.synthesised import Synthesised
from tests.support.infra.cloned import Cloned, cloned
from tests.support.infra.synthesised import OTHER_SETTINGS, SWEPT, only, synthesise


@pytest.fixture(scope="session")
def aws(template: Synthesised) -> Synthesised:
    return template


@pytest.fixture(scope="session")
def dev(layer: Path) -> Synthesised:
    """The stage dev as it is deployed: without alarms."""
    return synthesise(layer)


@pytest.fixture(scope="session")
def prod(layer: Path) -> Synthesised:
    return synthesise(layer, stage="prod", audited=True)


@pytest.fixture(scope="session")
def varied(layer: Path) -> Synthesised:
    """A stage with every option: all settings are other than by default.

    cdk-nag finds nothing that is not acknowledged with a reason.
    """
    return synthesise(layer, audited=True, **OTHER_SETTINGS)


@pytest.fixture(scope="session")
def local(layer: Path) -> Synthesised:
    return synthesise(layer, target="local")


@pytest.fixture(scope="session")
def million(layer: Path) -> Synthesised:
    """The services with a sweep, in a stage for a million machines: twice the reports that they make on average."""
    swept = only(*(f"services/{service.name}" for service in SWEPT))
    return synthesise(layer, stage="prod", declare=swept, dataTrail=False, reportsPerSecond=6_667)


@pytest.fixture(scope="session")
def of_clone(tmp_path_factory: pytest.TempPathFactory, layer: Path) -> Cloned:
    """Templates of a clone with more views."""
    return cloned(tmp_path_factory.mktemp("cloned"), layer)
