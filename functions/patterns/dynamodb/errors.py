"""What DynamoDB can answer besides success. Whatever is not here is `CallFailed`: retry.

ConditionFailed              a write's condition did not hold
TransactionConditionsFailed  conditions of a transaction did not hold
TransactionConflict          others were writing the same rows
ItemRefused                  the row can never be stored as it is
StartKeyRefused              the key to go on from lies outside the query
"""

from collections.abc import Mapping

from patterns.dynamodb.attribute_values import Item
from patterns.runtime.errors import CallFailed


class ConditionFailed(Exception):
    """The condition of a write did not hold; `row` is what stood there (None: nothing), so that no read is needed."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("condition failed")
        self.row = row


class TransactionConditionsFailed(Exception):
    """Conditions did not hold; `failed` has, by the number of the write, what stood there. Nothing was written."""

    def __init__(self, failed: Mapping[int, Item | None]) -> None:
        super().__init__("conditions failed")
        self.failed = failed


class TransactionConflict(Exception):
    """Others were writing the same rows: nothing was written, and it may be tried again."""


class ItemRefused(CallFailed):
    """DynamoDB refuses the row as invalid, and always will: too large, an empty key, a key of another type."""


class StartKeyRefused(Exception):
    """The key to go on from does not lie within the query."""
