from collections.abc import Iterator

import pytest

from andon.testing.loop import Loop
from tests.services.maintenance.requests import register


@pytest.fixture
def loop() -> Iterator[Loop]:
    with Loop() as loop:
        register(loop)
        yield loop
