"""Declarations in the modules of a package, by name."""

from collections.abc import Mapping
from typing import Protocol

from andon.dynamodb.attribute_values import Item
from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys
from andon.events.topic import Topic

Grants = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Role -> table, by its environment variable, or index, as `THINGS_TABLE/ByOwner` -> DynamoDB's actions on it."""


class ViewDeclaration(Protocol):
    """A `view.py`. It may also declare INDEXES, UPCASTERS, GRANTS and RESTORED; without them there are none.

    Where updates say `expires_at`, EXPIRES_WITHIN_DAYS is how far behind its event a date lies.
    With an ANCHOR, rows of slow data without it expire, see `andon.views.view_update`.
    A view whose rows lie in objects declares OBJECTS in place of TABLE, see `andon.views.object_table`; then its KEYS
    are `ObjectKeys`.
    The next version of a view declares REPLACES, the name of the view, and `as_before`, see `Version`.
    """

    KEYS: Keys
    TABLE: Table
    TTL_DAYS: int | None
    ON: Mapping[Topic, object]


class Version(ViewDeclaration, Protocol):
    """The `view.py` of a view's next version."""

    REPLACES: str

    @staticmethod
    def as_before(row: Item) -> Item | None:
        """Return a row as the version before would have it; None: it has no such row. Pure."""


class StoreDeclaration(Protocol):
    """A `store.py`; BUCKET is the environment variable with the name of the store's bucket.

    KEEPS_DAYS is when an object expires; None is never.
    """

    BUCKET: str
    KEEPS_DAYS: int | None
    SUBSCRIPTIONS: frozenset[Topic]
