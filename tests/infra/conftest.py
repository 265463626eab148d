from pathlib import Path

import pytest

from tests.support.infra.synthesised import OTHER_SETTINGS, Synthesised, synthesise


@pytest.fixture(scope="session")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layer")


@pytest.fixture(scope="session")
def aws(layer: Path) -> Synthesised:
    return synthesise(layer)


@pytest.fixture(scope="session")
def prod(layer: Path) -> Synthesised:
    return synthesise(layer, stage="prod")


@pytest.fixture(scope="session")
def varied(layer: Path) -> Synthesised:
    """A stage whose settings are all other than by default: one stack for the tests of each of them."""
    return synthesise(layer, **OTHER_SETTINGS)


@pytest.fixture(scope="session")
def local(layer: Path) -> Synthesised:
    return synthesise(layer, target="local")
