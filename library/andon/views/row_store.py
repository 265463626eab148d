"""Store of a view's rows: a table of DynamoDB, or objects in S3."""

from typing import Protocol

from andon.dynamodb.attribute_values import Attributes, Item
from andon.dynamodb.expressions import UNCONDITIONAL, Condition
from andon.dynamodb.schema import Keys


class RowStore(Protocol):
    """The calls by which a view's rows are read and written, see `andon.dynamodb.client.Table`."""

    @property
    def keys(self) -> Keys:
        """The primary key of its rows."""

    def get(self, key: Attributes, *, consistent: bool = False) -> Item | None:
        """Return one row, None if there is none."""

    def delete(self, key: Attributes, *, condition: Condition = UNCONDITIONAL) -> None:
        """Delete one row, if there is one; `ConditionFailed` if its condition does not hold."""

    def update(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> None:
        """Assign and remove attributes of one row; `ConditionFailed` if its condition does not hold."""

    def update_and_return(
        self, key: Attributes, *, assign: Attributes, remove: tuple[str, ...] = (), condition: Condition
    ) -> Item:
        """Apply `update`; return the row after it."""
