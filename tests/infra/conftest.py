from pathlib import Path

import pytest

from andon.testing.synthesised import Synthesised
from tests.support.infra.synthesised import HERE, OTHER_SETTINGS, THERE, synthesise


@pytest.fixture(scope="session")
def aws(template: Synthesised) -> Synthesised:
    return template


@pytest.fixture(scope="session")
def prod(layer: Path) -> Synthesised:
    return synthesise(layer, stage="prod", audited=True)


@pytest.fixture(scope="session")
def varied(layer: Path) -> Synthesised:
    """A stage whose settings are all other than by default: one stack for the tests of each of them."""
    return synthesise(layer, **OTHER_SETTINGS)


@pytest.fixture(scope="session")
def replicated(layer: Path) -> Synthesised:
    """A stage with a replica region and a trail; cdk-nag finds nothing that is not acknowledged with a reason."""
    return synthesise(
        layer, audited=True, region=HERE, account="1" * 12, replicaRegion=THERE, lakeLockDays=28, dataTrail=True
    )


@pytest.fixture(scope="session")
def local(layer: Path) -> Synthesised:
    return synthesise(layer, target="local")
