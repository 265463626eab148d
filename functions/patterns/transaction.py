"""Several rows written at once, or none: the atomic write of a command that keeps history."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from patterns import aws
from patterns.attribute_values import Item, to_plain, to_typed
from patterns.expressions import Condition, conditional, conditional_update
from patterns.table import Table

# Codes within a cancelled transaction that a later attempt may not meet.
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
RETRYABLE = frozenset({"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})


class TransactionConditionsFailed(Exception):
    """Conditions did not hold; `failed` has, by the number of the write, what stood there. Nothing was written."""

    def __init__(self, failed: Mapping[int, Item | None]) -> None:
        super().__init__("conditions failed")
        self.failed = failed


class TransactionConflict(Exception):
    """Others were writing the same rows: nothing was written, and it may be tried again."""


@dataclass(frozen=True, slots=True)
class Put:
    """A row to be put."""

    table: Table
    item: Mapping[str, Any]
    condition: Condition

    def request(self) -> dict[str, Any]:
        """Give the member of `TransactItems`."""
        return {"Put": {"Item": to_typed(self.item), **conditional(self.table.name, self.condition)}}

    def alone(self) -> None:
        """Write it without a transaction.

        Raises:
            ConditionFailed: the condition did not hold.

        """
        self.table.put(self.item, condition=self.condition)


@dataclass(frozen=True, slots=True)
class Update:
    """Attributes of a row to be assigned and removed."""

    table: Table
    key: Mapping[str, Any]
    assign: Mapping[str, Any]
    remove: tuple[str, ...]
    condition: Condition

    def request(self) -> dict[str, Any]:
        """Give the member of `TransactItems`."""
        change = conditional_update(self.table.name, self.assign, self.remove, self.condition)
        return {"Update": {"Key": to_typed(self.key), **change}}

    def alone(self) -> None:
        """Write it without a transaction.

        Raises:
            ConditionFailed: the condition did not hold.

        """
        self.table.update(self.key, assign=self.assign, remove=self.remove, condition=self.condition)


@dataclass(frozen=True, slots=True)
class Check:
    """A row that has to be so for the others to be written."""

    table: Table
    key: Mapping[str, Any]
    condition: Condition

    def request(self) -> dict[str, Any]:
        """Give the member of `TransactItems`."""
        return {"ConditionCheck": {"Key": to_typed(self.key), **conditional(self.table.name, self.condition)}}


def transact(*writes: Put | Update | Check) -> None:
    """Do all or nothing, in one request; it costs two write units a row and KB, a check included.

    Raises:
        TransactionConditionsFailed: conditions did not hold.
        TransactionConflict: others were writing the same rows, or the table was throttled.

    """
    try:
        aws.client("dynamodb").transact_write_items(TransactItems=[write.request() for write in writes])
    except ClientError as error:
        if aws.code_of(error) != "TransactionCanceledException":
            raise
        reasons = list(enumerate(error.response["CancellationReasons"]))
        failed = {n: reason.get("Item") for n, reason in reasons if reason["Code"] == "ConditionalCheckFailed"}
        if failed:
            rows = {number: to_plain(row) if row else None for number, row in failed.items()}
            raise TransactionConditionsFailed(rows) from error
        if any(reason["Code"] in RETRYABLE for _, reason in reasons):
            raise TransactionConflict from error
        raise
