import re
from typing import Any, cast

import pytest

from andon.cdk.checks.declared import refuse_hot_partitions
from andon.dynamodb.schema import Index, Keys, Partition, TableSchema
from tests.support.infra.synthesised import PACKAGES, declared_tables

DECLARED = {name: schema for package in PACKAGES for name, schema in declared_tables(package).items()}


@pytest.mark.parametrize("name", DECLARED)
def test_no_table_of_ours_is_refused(name: str) -> None:
    refuse_hot_partitions(name, DECLARED[name])


@pytest.mark.parametrize("partition", ["entity", "tenant", "shard"])
def test_a_partition_for_what_the_rows_are_about_is_not_refused(partition: Partition) -> None:
    refuse_hot_partitions("LOG_TABLE", TableSchema(Keys("pk", "sk", one_partition_per=partition)))


@pytest.mark.parametrize("partition", ["date", "table"])
def test_a_table_is_refused_by_its_name_and_attribute(partition: Partition) -> None:
    schema = TableSchema(Keys("pk", "time", one_partition_per=partition))

    with pytest.raises(ValueError, match=f"LOG_TABLE: 'pk' has one partition per {partition}, so that everything"):
        refuse_hot_partitions("LOG_TABLE", schema)


def test_an_index_is_refused_by_its_name_and_attribute() -> None:
    by_day = Index(Keys("createdAt", "pk", one_partition_per="date"))
    schema = TableSchema(Keys("pk", "sk", one_partition_per="entity"), indexes={"ByDay": by_day})

    with pytest.raises(ValueError, match=re.escape("LOG_TABLE, index ByDay: 'createdAt' has one partition per date")):
        refuse_hot_partitions("LOG_TABLE", schema)


def test_a_word_that_nobody_defined_is_refused() -> None:
    keys = Keys("pk", one_partition_per=cast("Partition", "hour"))

    with pytest.raises(ValueError, match="one partition per hour"):
        refuse_hot_partitions("LOG_TABLE", TableSchema(keys))


def test_keys_cannot_be_made_without_saying_what_a_partition_is() -> None:
    attributes: dict[str, Any] = {"partition": "pk", "sort": "sk"}

    with pytest.raises(TypeError, match="one_partition_per"):
        Keys(**attributes)
