from pathlib import Path

import pytest

from tests.support.infra.synthesised import Synthesised, synthesise


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
def local(layer: Path) -> Synthesised:
    return synthesise(layer, target="local")
