from itertools import count

import pytest

_numbers = count(1000)


@pytest.fixture
def person_id() -> str:
    """Return the id of somebody that no other test knows."""
    return f"op-{next(_numbers)}"
