"""Errors of DynamoDB that mean something. Every other one is `CallFailed`: retry.

ConditionFailed              a write's condition did not hold
TransactionConditionsFailed  conditions of a transaction did not hold
TransactionConflict          others were writing the same rows
ItemRefused                  the row can never be stored as it is
StartKeyRefused              the start key of a query lies outside of it
"""

from collections.abc import Mapping

from andon.dynamodb.attribute_values import Item
from andon.runtime.errors import CallFailed


class ConditionFailed(Exception):
    """The condition of a write did not hold; `row` is the row that failed it (None: there was none), to save a read."""

    def __init__(self, row: Item | None) -> None:
        super().__init__("condition failed")
        self.row = row


class TransactionConditionsFailed(Exception):
    """Conditions did not hold, and nothing was written; `failed`: name of the write -> the row that stood there."""

    def __init__(self, failed: Mapping[str, Item | None]) -> None:
        super().__init__("conditions failed")
        self.failed = failed


class TransactionConflict(Exception):
    """Others were writing the same rows; nothing was written. Retry."""


class ItemRefused(CallFailed):
    """DynamoDB will never store the row: it is too large, or a key is empty or of another type."""


class StartKeyRefused(Exception):
    """The start key does not lie within the query."""
