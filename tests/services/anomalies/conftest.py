from collections.abc import Iterator

import pytest

from tests.support.anomalies import Detector
from tests.support.log_lines import unlogged


@pytest.fixture(scope="module")
def detector() -> Iterator[Detector]:
    """Anomalies alone, over AWS in memory; to be restarted by who wants it empty."""
    with Detector() as detector, unlogged():
        yield detector
