"""What the modules of a package declare, by name."""

from collections.abc import Mapping
from typing import Protocol

from patterns.dynamodb.client import Table
from patterns.dynamodb.schema import Keys
from patterns.events.topic import Topic

Grants = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Role -> table, by its environment variable, or index, as `THINGS_TABLE/ByOwner` -> DynamoDB's actions on it."""


class ViewDeclaration(Protocol):
    """A `view.py`. It may also declare INDEXES and UPCASTERS; without them there are none.

    With an ANCHOR, rows of slow data without it expire, see `patterns.views.view_update`.
    """

    KEYS: Keys
    TABLE: Table
    TTL_DAYS: int | None
    ON: Mapping[Topic, object]


class StoreDeclaration(Protocol):
    """A `store.py`; BUCKET is the environment variable with the name of the store's bucket.

    KEEPS_DAYS is when an object expires; None is never.
    """

    BUCKET: str
    KEEPS_DAYS: int | None
    SUBSCRIPTIONS: frozenset[Topic]
