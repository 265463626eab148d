import os
import resource
from collections.abc import Iterator

import pytest


@pytest.fixture
def many_open_files() -> Iterator[None]:
    """Have over 1,024 files open, so that what is opened next has a number that `select` does not take."""
    fewest, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(fewest, 2_000), most))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_050)]
    yield
    for one in opened:
        os.close(one)
    resource.setrlimit(resource.RLIMIT_NOFILE, (fewest, most))
