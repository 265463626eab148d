from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns.attribute_values import to_plain
from patterns.errors import Poison, PreconditionRequired, Stale
from patterns.numbered_versions import (
    MAX_VERSION,
    Numbered,
    all_current,
    count_up,
    is_current,
    keep,
    revisions_at,
    save_current,
)
from patterns.versioned_write import Versions, save
from tests.patterns.archive import CURRENT, KEYS, Archive, Crash, crash_after
from tests.patterns.things import painting
from tests.wire import Wire

_names = count(1)

versions = st.integers(min_value=1, max_value=MAX_VERSION)

Row = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def archive() -> Iterator[Archive]:
    with Archive() as archive:
        yield archive


def apart(owner: str, part: str = "door") -> Numbered:
    """Keep revisions in a partition of their own."""
    revisions = f"Audit#{part}#{owner}"
    mark = {"discriminator": "audit-revision"}
    return Numbered(table=CURRENT, partition=owner, name=f"Audit#{part}", revisions=revisions, attributes=mark)


def together(owner: str) -> Numbered:
    """Keep all versions in one partition, as the developer guide draws it."""
    return Numbered(table=CURRENT, partition=owner, name="Audit")


LAYOUTS = pytest.mark.parametrize("layout", [apart, together], ids=["apart", "together"])


@pytest.fixture
def owner() -> str:
    return f"Press#{next(_names)}"


def put(thing: Numbered, version: int) -> None:
    """Write a current row and a revision, whatever came before."""
    current = {**thing.current_key(), "latest": version}
    CURRENT.table_put(current) if False else None
