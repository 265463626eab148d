from collections.abc import Mapping
from typing import Any

import pytest

from andon.events.fact import Change, lifecycle

Image = Mapping[str, Any] | None

LIVE, TOMBSTONE = {"name": "a thing"}, {"name": "a thing", "deleted": True}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        *((None, LIVE, "thing-created"), (LIVE, LIVE, "thing-updated"), (LIVE, TOMBSTONE, "thing-deleted")),
        *((LIVE, None, "thing-deleted"), (TOMBSTONE, LIVE, "thing-undeleted"), (TOMBSTONE, None, "thing-deleted")),
        *((None, TOMBSTONE, "thing-deleted"), ({"deleted": False}, {"deleted": False}, "thing-updated")),
        *((TOMBSTONE, {"deleted": False}, "thing-undeleted"), (None, {"deleted": False}, "thing-created")),
    ],
)
def test_a_life_is_created_updated_deleted_and_undeleted(old: Image, new: Image, expected: str) -> None:
    change = Change(kind="MODIFY", old=dict(old) if old else None, new=dict(new) if new else None)

    assert lifecycle(change, "thing") == expected
