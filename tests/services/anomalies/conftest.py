from collections.abc import Iterator

import pytest

from andon.testing.log_lines import unlogged
from tests.support.anomalies import Detector


@pytest.fixture(scope="module")
def detector() -> Iterator[Detector]:
    """Anomalies alone, over AWS in memory; to be restarted by who wants it empty."""
    with Detector() as detector, unlogged():
        yield detector
